"""Measures cases in a process of its own, so that a crash or an endless loop is the failure of one case and does not end the sweep.

The parent writes replay lines to the child's standard input; the child answers each with a record as a JSON line. usage of the child:
worker.py LIBRARY MACHINE, where MACHINE is the limits of the machine as JSON.
"""
import json
import os
import select
import signal
import subprocess
import sys
import tempfile

LONGEST = 120  # limit for one case, in seconds


class Worker:
    """The parent's end of the connection to the child process. The child is started for the first case, and again after a failure that
    ended it."""

    def __init__(self, library, machine, longest=LONGEST):
        self._command = [sys.executable, os.path.abspath(__file__), library, json.dumps(machine)]
        self._longest, self._child, self._errors = longest, None, None

    def record(self, case):
        """Lets the child measure a case and returns the case's record. If the child crashes or takes too long, the record says so as the
        failure."""
        from measure import record_of  # pylint: disable=import-outside-toplevel
        if self._child is None:
            self._errors = tempfile.TemporaryFile()
            self._child = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors)
        try:
            self._child.stdin.write((case.line + "\n").encode())
            self._child.stdin.flush()
            ready, _, _ = select.select([self._child.stdout], [], [], self._longest)
            answer = self._child.stdout.readline() if ready else b""
        except BrokenPipeError:
            ready, answer = True, b""
        if answer.endswith(b"\n"):
            return json.loads(answer)
        status = self.close()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()[-1500:]
        return record_of(case, failure=f"{self._reason(bool(ready), status)}{': ' + said if said else ''}")

    def _reason(self, ended, status):
        if not ended:
            return f"no result after {self._longest} s"
        return f"the process ended by {signal.Signals(-status).name}" if status < 0 else f"the process ended with status {status}"

    def close(self):
        """Ends the child and returns its exit status; a negative status is the number of the signal that ended it."""
        if self._child is None:
            return 0
        child, self._child = self._child, None
        child.stdin.close()
        try:
            status = child.wait(2)
        except subprocess.TimeoutExpired:
            child.kill()
            status = child.wait()
        child.stdout.close()
        return status


def main():
    # Records are written to the original standard output. Libraries that print do so to the new one, which is standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    import families  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import
    from case import parse  # pylint: disable=import-outside-toplevel
    from library import Library  # pylint: disable=import-outside-toplevel
    from measure import measure  # pylint: disable=import-outside-toplevel
    from peers import Compiler, clock  # pylint: disable=import-outside-toplevel
    library, machine = Library(sys.argv[1]), json.loads(sys.argv[2])
    machine = {kind: {int(threads): rates for threads, rates in entries.items()} for kind, entries in machine.items()}
    compiler = Compiler()
    timer = clock(compiler)
    for line in iter(sys.stdin.readline, ""):
        record = measure(library, parse(line), machine, compiler, timer)
        answers.write(json.dumps(record) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
