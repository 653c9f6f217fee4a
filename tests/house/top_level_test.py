"""Checks that the top level of the repository contains only the entries that are listed here, so that nobody adds one by accident.

rows: C1.top_level
"""
import os
import shutil
import subprocess
import sys

ROOT = os.environ.get("HARP_SOURCE_DIR") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
REQUIRED = {"CMakeLists.txt", "include", "src", "tests", "examples", "pkgconfig", "README.md", "dev", "docs", "LICENSE",
            "CONTRIBUTING.md", "CHANGELOG.md", "CMakePresets.json", ".clang-format", ".clang-tidy", ".gitignore", ".ci", "bench"}
ALLOWED = REQUIRED | {"bindings", ".gitattributes"}


def entries():
    """Returns the entries at the top level that git tracks or that are new. Without git, as in a release tarball, returns all entries
    except build outputs."""
    if shutil.which("git") is not None:
        listing = subprocess.run(["git", "-C", ROOT, "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
        if listing.returncode == 0 and listing.stdout:
            return {path.split("/")[0] for path in listing.stdout.splitlines()}
    return set(os.listdir(ROOT)) - {"build", ".git", ".cache"}


def main():
    have = entries()
    errors = [f"{name}: not among the fixed entries of the top level" for name in sorted(have - ALLOWED)]
    errors += [f"{name}: missing from the top level" for name in sorted(REQUIRED - have)]
    if not os.path.exists(os.path.join(ROOT, "include", "harp.h")):
        errors.append("include/harp.h is missing")
    print("\n".join(errors) if errors else f"{len(have)} entries, all expected")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
