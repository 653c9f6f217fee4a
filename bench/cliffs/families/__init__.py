"""The families of cases: each of these modules adds its families to the table case.FAMILIES."""
from . import elementwise, gradients, movement, networks, products, reductions, selections, simulations, transforms, windows  # noqa: F401
