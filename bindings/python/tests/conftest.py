"""Settings of all tests of the package. Compiled programs are stored in a temporary directory, unless HARP_CACHE_DIR is already set."""
import os
import tempfile

_directory = tempfile.TemporaryDirectory(prefix="harp-python-tests-")
os.environ.setdefault("HARP_CACHE_DIR", _directory.name)
