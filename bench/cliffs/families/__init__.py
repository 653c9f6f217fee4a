"""The table of families: each module adds its own to case.FAMILIES."""
from . import elementwise, movement, networks, products, reductions, selections, simulations, transforms, windows  # noqa: F401
