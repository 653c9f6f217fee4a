"""Recognises assignments to elements of a tensor that only the assignment itself refers to: their effect would be lost."""
from __future__ import annotations

import opcode
import sys
from types import FrameType
from typing import Any


class _Probe:
    """Stores how many references there are to an object when the interpreter calls its __setitem__."""

    count = 0

    def __setitem__(self, key: Any, value: Any) -> None:
        _Probe.count = sys.getrefcount(self)


def _references_of_temporary() -> int:
    """Returns how many references setitem() finds to a tensor that only the assignment itself refers to, such as x[0] in x[0][1] = 2. Returns
    0 if this interpreter does not count one more reference for a tensor that has a name."""
    if not hasattr(sys, "getrefcount"):
        return 0
    _Probe()[0] = 0
    temporary = _Probe.count
    probe = _Probe()
    probe[0] = 0
    return temporary if _Probe.count > temporary else 0


TEMPORARY: int = _references_of_temporary()
_STORE = opcode.opmap.get("STORE_SUBSCR")


def is_statement(frame: FrameType) -> bool:
    """Tests whether the code of this frame is executing an assignment x[key] = value, rather than a call of x.__setitem__."""
    return frame.f_code.co_code[frame.f_lasti] == _STORE
