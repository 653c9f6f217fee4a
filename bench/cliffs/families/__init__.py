"""Families of benchmarks. Each of these modules defines functions that make benchmarks from parameters, and registers them as families in
the table case.FAMILIES."""
from . import elementwise, gradients, movement, networks, products, reductions, selections, simulations, transforms, views, windows  # noqa: F401
