"""Checks that the README is correct: harp can be installed as it says, its C example is built with nothing but pkg-config and prints the
output that is shown, its commands run, its programs in other languages are those that the bindings' tests run, it stays short, and every
file and every command of ./dev that it names exists.
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.environ["HARP_SOURCE_DIR"]
BUILD = os.environ["HARP_BUILD_DIR"]
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users


def run(*command, **environment):
    result = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, f"{' '.join(command)}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def check_example(text):
    """Installs harp as the README says, in an empty home folder, and runs everything that the README shows."""
    example, shown = blocks(text, "c")[0], blocks(text, "text")[0]
    lines = len([line for line in example.splitlines() if line.strip()])
    assert lines <= 36, f"the example has {lines} lines"
    install, compile_line = next(block for block in blocks(text, "sh") if "cmake --install" in block).rsplit("\ncc ", 1)
    assert "build/release" in install
    install = install.replace("build/release", f"'{BUILD}'")
    command_line = next(block for block in blocks(text, "sh") if block.startswith("harp "))
    with tempfile.TemporaryDirectory(prefix="harp-readme-") as scratch:
        for name, content in (("example.c", example), ("softmax.harp", blocks(text, "harp")[0])):
            with open(os.path.join(scratch, name), "w", encoding="utf-8") as file:
                file.write(content)

        def shell(script):
            return run("bash", "-ec", f"cd '{scratch}'\n{{\n{install}\n}} >install.log\n{script}", HOME=scratch,
                       HARP_CACHE_DIR=os.path.join(scratch, "cache"))

        for compiler in ("cc", "gcc -std=c99 -Wall -Wextra -Werror", "clang -std=c99 -Wall -Wextra -Werror"):
            output = shell(f"{compiler} {compile_line}")
            assert output == shown, f"the README shows\n{shown}but the example prints\n{output}"
        output = shell(command_line)
        assert output.startswith("y: f32[512, 1024]  min ") and "void entry_point(" in output, output[:200]


def check_other_languages(text):
    """Checks that the C++ program is built and runs, and that the programs in other languages are the first ones of the bindings' READMEs,
    which the bindings' tests run."""
    for language in ("python", "rust", "go"):
        with open(os.path.join(SOURCE, "bindings", language, "README.md"), encoding="utf-8") as file:
            own = blocks(file.read(), language)[0]
        assert blocks(text, language) == [own], f"the program in {language} is not the first one of bindings/{language}/README.md"
        assert len([line for line in own.splitlines() if line.strip()]) <= 12, f"the program in {language} is long"
    program, = blocks(text, "cpp")
    with tempfile.TemporaryDirectory(prefix="harp-readme-") as scratch:
        with open(os.path.join(scratch, "hello.cpp"), "w", encoding="utf-8") as file:
            file.write(program)
        run("cmake", "--install", BUILD, "--prefix", os.path.join(scratch, "local"))
        pc, = [folder for folder, _, files in os.walk(scratch) if "harp.pc" in files]
        output = run("bash", "-ec", f"cd '{scratch}'; c++ -std=c++17 -Wall -Wextra -Werror hello.cpp $(pkg-config --cflags --libs harp) -o hello; ./hello",
                     PKG_CONFIG_PATH=pc, LD_LIBRARY_PATH=os.path.dirname(pc), HARP_CACHE_DIR=os.path.join(scratch, "cache"))
        assert output == "11 66\n", output


def check_names(text):
    with open(os.path.join(SOURCE, "dev"), encoding="utf-8") as file:
        verbs = set(re.findall(r"^verb_(\w+)\(\)", file.read(), re.M))
    named = set(re.findall(r"\./dev ([a-z]+)\b", text))
    assert named <= verbs, f"no such verbs: {sorted(named - verbs)}"
    paths = set(re.findall(r"\b((?:src|include|docs|tests|examples)/[\w./-]*\w)", text))
    missing = sorted(path for path in paths if not os.path.exists(os.path.join(SOURCE, path)))
    assert len(paths) > 8 and not missing, f"named, but not there: {missing}"


def main():
    with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
        text = file.read()
    status = 0
    for check in (check_names, check_example, check_other_languages):
        try:
            check(text)
            print(f"pass {check.__name__}")
        except AssertionError as error:
            status = 1
            print(f"fail {check.__name__}: {error}")
    return status


if __name__ == "__main__":
    sys.exit(main())
