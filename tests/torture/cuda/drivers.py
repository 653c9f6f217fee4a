"""Table 2 of `./dev torture cuda`: every call of every function of the fake driver fails once, with each class of error. The tests of
tests/cuda that cause these failures run here. The fake driver records the failures in a file (HARP_FAKE_CUDA_FAULTS); the tests check how
harp handles them.
"""
import collections
import ctypes
import os
import re
import subprocess
import tempfile

BUILD = os.environ["HARP_BUILD_DIR"]
CASES = "*every function of the driver fails once*"
CLASSES = {"invalid value": (1,), "out of memory": (2,), "not supported": (801,), "lost device": (700, 719), "unknown": (999,)}
# Functions that the tests do not make fail, and why
NOT_FAILED = dict.fromkeys(("cuCtxGetCurrent", "cuStreamBeginCapture", "cuStreamEndCapture"), "called by the tests' host application alone")
FEWEST = 100  # the least number of failures in all tests together; fewer would mean that the tests no longer cause them


def functions():
    """Returns the functions of the fake driver."""
    library = ctypes.CDLL(os.path.join(BUILD, "fake_cuda", "libcuda.so.1"))
    library.fake_cuda_functions.restype = ctypes.c_char_p
    return library.fake_cuda_functions().decode().split()


def test_cases(program, environment):
    words = [program, "--list-test-cases", f"--test-case={CASES}", "--no-colors=true"]
    listed = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if "every function of the driver fails once" in line]


def table(_):
    """Prints the table. Returns whether harp handled every failure as the tests require."""
    program = os.path.join(BUILD, "harp_cuda_tests")
    found, wrong, passed = collections.Counter(), collections.Counter(), True
    classes = {status: name for name, statuses in CLASSES.items() for status in statuses}
    print("Table 2: failures of the driver's functions, in number, by class of error. After each the tests check the message, that nothing is left\n"
          "allocated, and that the host's calls were allowed. The driver is a fake one; a real one may fail in other ways.")
    cases = test_cases(program, os.environ)
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "faults")
            words = [program, "--test-case=" + re.sub(r"[,*\\]", "*", case), "--no-colors=true"]
            done = subprocess.run(words, cwd=BUILD, capture_output=True, text=True, check=False, env=os.environ | {"HARP_FAKE_CUDA_FAULTS": log})
            noted = []
            if os.path.exists(log):
                with open(log, encoding="utf-8") as file:
                    noted = [line.split() for line in file]
        of_case = collections.Counter((name, classes.get(int(status), status)) for name, status in noted)
        found += of_case
        for report in done.stdout.split("=" * 79):  # a report of doctest, which contains the captured values
            name, status = re.search(r'function := "?(\w+)', report), re.search(r"status := (\d+)", report)
            if "ERROR" in report and name:
                wrong[name[1], classes.get(int(status[1]), status[1]) if status else "unknown"] += 1
        passed = passed and done.returncode == 0 and bool(noted)
        print(f"{'passed' if done.returncode == 0 else 'FAILED':8}{sum(of_case.values()):6} failures: {case}", flush=True)
    columns = [name for name in CLASSES if any(key[1] == name for key in found)]
    columns += sorted({key[1] for key in found} - set(columns))
    print(f"{'function':46}" + "".join(f"{name:>15}" for name in columns))
    unused = []
    for name in functions():
        counts = [(found[name, column], wrong[name, column]) for column in columns]
        if not any(count for count, _ in counts):
            unused.append(name)
            continue
        print(f"{name:46}" + "".join(f"{str(count or '-') + (f' ({bad} wrong)' if bad else ''):>15}" for count, bad in counts))
    for name in unused:
        print(f"{name:46}" + NOT_FAILED.get(name, "NOT FAILED in any test"))
    passed = passed and NOT_FAILED.keys() >= set(unused)
    total = sum(found.values())
    print(f"table 2: {len({name for name, _ in found})} functions, {total} failures in {len(cases)} tests, {sum(wrong.values())} handled wrongly")
    return passed and total >= FEWEST and not wrong
