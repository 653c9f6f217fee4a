"""C1: the grammar of launch plans in docs/launch-plan.md describes the plans that harp prints. The test takes the grammar from the page and
applies it to every golden plan, and to one plan that has everything that the golden plans lack.
"""
import glob
import os
import re

SOURCE = os.environ["HARP_SOURCE_DIR"]
TOKENS = {"NAME": r"[A-Za-z_][\w.-]*", "I": r"\d+", "INTEGER": r"-?\d+", "NUMBER": r"-?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|inf|nan)|true|false", "DTYPE": r"[a-z]+\d*",
          "LINE": r"\n"}
# The text of the plan that tests/cuda/launch_plan_test.cpp prints, which has a step of each kind.
EVERYTHING = """plan "small"
shape0 n
input0 x
output0 y
constant0 12 bytes
arena 64 + n*4 bytes
records 1 at arena + n*4
kernel kernel_0 block [128, 1, 1]
step 0: launch kernel_0 grid [min(processors*blocks_per_processor, floor_div(127 + n, 128)), 1, 1] if -2 + n >= 0 (input0, arena + 64, n, reciprocal(1 + n))
step 1 after 0: join
step 2 after 0, 1: call "solve" for n elements (write output0 of n*4 bytes, i32 n, f64 0.5, address 1)
"""


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


class Grammar:
    """Matches text by the rules of a grammar. A matcher yields every position at which its match can end, so that all alternatives are
    tried until one of them matches the whole text."""

    def __init__(self, text):
        self.rules = {name: self.choice(re.findall(r"'[^']*'|\w+|[()|?*]", body)) for name, body in re.findall(r"^(\w+) +=((?: .*)$)", text, re.M)}

    def choice(self, tokens):
        """Parses alternatives, up to a closing parenthesis, and removes their tokens from the list."""
        branches = [[]]
        while tokens and tokens[0] != ")":
            token = tokens.pop(0)
            if token == "|":
                branches.append([])
            elif token == "(":
                branches[-1].append(self.choice(tokens))
                tokens.pop(0)
            elif token in "?*":
                branches[-1].append((token, branches[-1].pop()))
            else:
                branches[-1].append(token)
        return ("|", branches)

    def ends(self, matcher, text, at):
        if isinstance(matcher, str):
            if matcher[0] == "'":
                yield from [at + len(matcher) - 2] if text.startswith(matcher[1:-1], at) else []
            elif matcher in TOKENS:
                found = re.compile(TOKENS[matcher]).match(text, at)
                yield from [found.end()] if found else []
            else:
                yield from self.ends(self.rules[matcher], text, at)
            return
        kind, body = matcher
        if kind == "|":
            for branch in body:
                yield from self.sequence(branch, text, at)
            return
        for end in self.ends(body, text, at):
            yield from [end] if kind == "?" else self.ends(matcher, text, end)
        yield at

    def sequence(self, parts, text, at):
        if not parts:
            yield at
            return
        for end in self.ends(parts[0], text, at):
            yield from self.sequence(parts[1:], text, end)

    def accepts(self, text):
        return any(end == len(text) for end in self.ends("plan", text, 0))


def main():
    grammar = Grammar(re.search(r"```text\n(plan +=.*?)```", read("docs", "launch-plan.md"), re.S)[1])
    plans = sorted(glob.glob(os.path.join(SOURCE, "tests", "cuda", "golden", "*.plan")))
    assert len(plans) > 10, plans
    for path in plans:
        assert grammar.accepts(read(path)), f"the grammar of docs/launch-plan.md does not describe {os.path.basename(path)}"
    assert EVERYTHING.split("step 2")[0] in read("tests", "cuda", "launch_plan_test.cpp")
    assert grammar.accepts(EVERYTHING)
    # Checks that the grammar rejects these texts. A grammar that accepts everything would pass the checks above.
    for wrong in ("", EVERYTHING.replace("join", "wait"), EVERYTHING.replace("[128, 1, 1]", "[128, 1]"), EVERYTHING.replace("n*4 bytes, i32", "n*4, i32"),
                  EVERYTHING.replace("if -2 + n >= 0 ", "if ")):
        assert not grammar.accepts(wrong), wrong
    print(f"{len(plans)} golden plans are as docs/launch-plan.md says")


main()
