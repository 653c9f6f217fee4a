#!/usr/bin/env python3
"""What the bindings cost, on arrays so small that kernels cost nearly nothing: a jitted call, a lazy chain, the import. One line each.

Goals: a jitted call with NumPy arrays in and out 1.5 µs; 20 lazy operations 30 µs; the import 50 ms beside NumPy's.
"""
import subprocess
import sys
import time


def best(function, number, rounds=15):
    """The least mean time of a call over several rounds, in µs: other processes only ever add to it."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(number):
            function()
        times.append((time.perf_counter() - start) / number)
    return min(times) * 1e6


def import_ms(code):
    times = []
    for _ in range(9):
        out = subprocess.run([sys.executable, "-c", f"import time; import numpy; s = time.perf_counter(); {code}; print(time.perf_counter() - s)"],
                             capture_output=True, text=True, check=True).stdout  # fmt: skip
        times.append(float(out) * 1e3)
    return min(times)


def main():
    import numpy as np

    import harp

    harp.set_backend("c")
    a, b = np.ones(8, np.float32), np.ones(8, np.float32)
    x, y = harp.asarray(a), harp.asarray(b)

    f = harp.jit(lambda x, y: x * 2 + y)
    g = harp.jit(lambda x, y: x * 2 + y, numpy=True)
    h = harp.jit(lambda x, y: x * 2 + y, dynamic={"x": {0: "n"}, "y": {0: "n"}})
    for each in (f, g, h):
        each(a, b)
    print(f"jit, NumPy in, NumPy out         {best(lambda: g(a, b), 20000):8.2f} µs")
    print(f"jit, NumPy in, tensor out        {best(lambda: f(a, b), 20000):8.2f} µs")
    print(f"jit, tensors in and out          {best(lambda: f(x, y), 20000):8.2f} µs")
    print(f"jit, symbolic size               {best(lambda: h(a, b), 20000):8.2f} µs")

    def chain():
        z = x
        for _ in range(10):
            z = z * y + 0.5
        return z.eval()

    chain()
    print(f"lazy, 20 operations              {best(chain, 1000):8.2f} µs")
    print(f"lazy, one operation              {best(lambda: (x + y).eval(), 5000):8.2f} µs")
    print(f"noting an operation (x + y)      {best(lambda: x + y, 20000):8.2f} µs")
    print(f"noting an operation (x + 1.5)    {best(lambda: x + 1.5, 20000):8.2f} µs")
    print(f"noting an operation (softmax)    {best(lambda: harp.softmax(x, -1), 20000):8.2f} µs")
    print(f"asarray                          {best(lambda: harp.asarray(a), 20000):8.2f} µs")
    print(f"np.asarray                       {best(lambda: np.asarray(x), 20000):8.2f} µs")
    print(f"tensor.numpy()                   {best(lambda: x.numpy(), 20000):8.2f} µs")
    print(f"x[1:3]                           {best(lambda: x[1:3], 5000):8.2f} µs")
    print(f"np: a * 2 + b                    {best(lambda: a * 2 + b, 20000):8.2f} µs")
    print(f"import harp, beside NumPy's      {import_ms('import harp'):8.2f} ms")


if __name__ == "__main__":
    main()
