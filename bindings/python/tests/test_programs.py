"""Programs written for NumPy give the same results with harp's namespace."""
import numpy as np
import programs_of_data
import programs_of_loops
import programs_of_numerics
import pytest

import harp


@pytest.fixture(scope="module", autouse=True)
def interpreted():
    """Most programs are loops of small operations, which would take long to compile."""
    harp.set_backend("interp")
    yield
    harp.set_backend("auto")


PROGRAMS = programs_of_numerics.PROGRAMS + programs_of_data.PROGRAMS + programs_of_loops.PROGRAMS


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_program(program):
    expected, made = (result if isinstance(result, tuple) else (result,) for result in (program(np), program(harp)))
    assert len(made) == len(expected)
    for x, y in zip(made, expected):
        assert np.shape(x) == np.shape(y)
        np.testing.assert_allclose(np.asarray(x), np.asarray(y), rtol=2e-3, atol=1e-4)
