"""Runs the tests of the Array API standard (data-apis/array-api-tests), except those in array_api_skips.txt. HARP_ARRAY_API_TESTS must
contain the path of these tests; otherwise they are skipped."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = os.environ.get("HARP_ARRAY_API_TESTS")


@pytest.mark.skipif(not TESTS, reason="HARP_ARRAY_API_TESTS is not set: a checkout of data-apis/array-api-tests")
def test_array_api():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore", "--tb=short", "--disable-deadline", "array_api_tests",
               "--skips-file", str(Path(__file__).resolve().parent / "array_api_skips.txt"),
               "--max-examples", os.environ.get("HARP_ARRAY_API_EXAMPLES", "20")]  # fmt: skip
    result = subprocess.run(command, cwd=TESTS, env={**os.environ, "ARRAY_API_TESTS_MODULE": "harp"}, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout[-20000:] + result.stderr[-2000:]
