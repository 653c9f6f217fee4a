"""README.md and docs/python.md are correct: their Python blocks run one after the other, and print what the text block after each shows."""
import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent
ROOT = PACKAGE.parent.parent
DOCUMENTS = [PACKAGE / "README.md", ROOT / "docs" / "python.md"]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_blocks(path):
    blocks = re.findall(r"^```(python|text)\n(.*?)^```$", path.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) >= 4
    names: dict = {"__name__": "__main__"}
    printed = None
    for language, block in blocks:
        if language == "text":
            assert printed == block, f"{path.name} shows\n{block}but this is printed:\n{printed}"
            continue
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            exec(compile(block, path.name, "exec"), names)
        printed = output.getvalue()


@pytest.mark.skipif(not os.environ.get("HARP_PYTHON_TOOLS"), reason="HARP_PYTHON_TOOLS is not set: the folder of pip, ruff and mypy")
def test_generated_files_and_style():
    tools = Path(os.environ["HARP_PYTHON_TOOLS"])
    for command in ([sys.executable, str(PACKAGE / "generate.py"), "--check"], [str(tools / "ruff"), "check", "."],
                    [str(tools / "mypy"), "--strict", "-p", "harp"]):  # fmt: skip
        if not Path(command[0]).exists():
            pytest.skip(f"{command[0]} is not there")
        result = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stdout + result.stderr
