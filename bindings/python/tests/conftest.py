"""All tests of the package. Programs go to a directory of their own unless the caller chose one."""
import os
import tempfile

_directory = tempfile.TemporaryDirectory(prefix="harp-python-tests-")
os.environ.setdefault("HARP_CACHE_DIR", _directory.name)
