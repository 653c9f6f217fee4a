#!/usr/bin/env python3
"""Checks that the table of seeded faults fits the code: the text that each fault replaces is in its file exactly once, and the tests that
it names exist. Whether the faults are found is checked by seeded_faults.py, which takes hours."""
import glob
import os
import unittest

from seeded_faults import FAULTS, ROOT


class SeededFaults(unittest.TestCase):
    def test_each_has_its_place(self):
        for name, file, old, new, *tests in FAULTS:
            with self.subTest(fault=name), open(os.path.join(ROOT, "src", file), encoding="utf-8") as source:
                self.assertEqual(source.read().count(old), 1, f"src/{file} has to have this once: {old}")
                self.assertNotEqual(old, new)
                for test in tests:
                    path = f"tests/regressions/{test}" if test.endswith(".harp") else f"tests/*/{test}.cpp"
                    self.assertTrue(glob.glob(os.path.join(ROOT, path)), path)

    def test_names_differ(self):
        names = [fault[0] for fault in FAULTS]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
