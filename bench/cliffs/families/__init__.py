"""The families of cases: each module adds its own to the table case.FAMILIES."""
from . import elementwise, movement, networks, products, reductions, selections, simulations, transforms, windows  # noqa: F401
