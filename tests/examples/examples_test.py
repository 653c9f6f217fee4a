"""Builds the programs of examples/ as a user would build them, with an installed harp. Their results must be right: the published results
of the NAS Parallel Benchmarks, a network that separates two spirals, the pixels of a photo filter, and minimisers whose results are
bit-identical if their operations run one by one, fused, and on a GPU.

rows: E4.gradient_descent E4.conjugate_gradient E4.truncated_newton E4.counts
"""
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

SOURCE = Path(os.environ["HARP_SOURCE_DIR"])
BUILD = os.environ["HARP_BUILD_DIR"]
os.environ.pop("HARP_MACHINE", None)  # unset, so that programs are compiled for this CPU, as they are for users


def run(*command, expected=0, **environment):
    result = subprocess.run([str(c) for c in command], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    assert result.returncode == expected, f"{command}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout + result.stderr


def write_png(path, rows):
    """Writes a PNG file of rows of (r, g, b)."""
    raw = b"".join(b"\0" + bytes(value for pixel in row for value in pixel) for row in rows)
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(raw)), (b"IEND", b"")]
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, data in chunks:
            file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))


def read_png(path):
    """Reads an 8-bit RGB PNG file and returns its rows of (r, g, b)."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if name == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        packed += body if name == b"IDAT" else b""
        at += size + 12
    raw, stride = zlib.decompress(packed), 3 * width
    rows, above = [], bytes(stride)
    for r in range(height):
        kind, row = raw[r * (stride + 1)], bytearray(raw[r * (stride + 1) + 1 : (r + 1) * (stride + 1)])
        for i in range(stride):
            left, corner = (row[i - 3], above[i - 3]) if i >= 3 else (0, 0)
            estimate = left + above[i] - corner
            # if several have the same distance, min returns the first of them, as PNG's Paeth filter requires
            nearest = min((left, above[i], corner), key=lambda v: abs(estimate - v))
            row[i] = (row[i] + (0, left, above[i], (left + above[i]) // 2, nearest)[kind]) & 255
        above = bytes(row)
        rows.append([tuple(above[i : i + 3]) for i in range(0, stride, 3)])
    return rows


class Examples:
    def __init__(self, scratch):
        self.scratch = scratch
        run("cmake", "--install", BUILD, "--prefix", scratch / "prefix")
        self.pkg_config = next((scratch / "prefix").rglob("harp.pc")).parent

    def build(self, folder):
        # The program in C++ is not optimised: its results do not depend on it, and optimising harp.hpp takes most of its compilation.
        run("make", "-s", "-C", SOURCE / "examples" / folder, f"BUILD={self.scratch}", CFLAGS="-O2 -Werror", CXXFLAGS="-O0",
            PKG_CONFIG_PATH=str(self.pkg_config))

    def run(self, program, *arguments, expected=0, libraries=""):
        return run(self.scratch / program, *arguments, expected=expected, LD_LIBRARY_PATH=f"{self.pkg_config.parent}:{libraries}",
                   HARP_CACHE_DIR=str(self.scratch / "cache"))

    def check_npb(self):
        self.build("npb")
        for program in ("mg", "cg", "ft"):
            output = self.run(program, "S")
            assert output.endswith("VERIFICATION SUCCESSFUL\n"), output
            assert "usage: " + program in self.run(program, "Z", expected=2)

    def check_spirals(self):
        self.build("spirals")
        picture = self.scratch / "regions.png"
        output = self.run("spirals", picture)
        assert "accuracy" in output and "step 1500" in output, output
        pixels = [pixel for row in read_png(picture) for pixel in row]
        shares = [pixels.count(colour) / len(pixels) for colour in ((246, 214, 170), (170, 204, 236))]
        assert all(0.2 < share < 0.7 for share in shares), f"the two regions cover {shares} of the picture"

    def check_photo(self):
        self.build("photo")
        source, drawing = self.scratch / "source.png", self.scratch / "drawing.png"
        # The left and the right half of the picture have one colour each. Far from the border between them only the tone curve changes
        # pixels; at the border the filter draws a dark line.
        write_png(source, [[(128, 128, 128)] * 12 + [(255, 255, 255)] * 12] * 9)
        self.run("photo", source, drawing)
        rows = read_png(drawing)
        assert len(rows) == 9 and len(rows[0]) == 24
        for row in rows:
            assert row == rows[0], "rows differ"
        # The tone curve maps 128 / 255 to 0.503, and rounds 0.503 * 6 down to step 3. Step s has the grey value (s + 0.5) / 6 * 255 + 0.5,
        # clamped to 255 and rounded down: 149 for step 3, and 255 for step 6, to which white belongs.
        assert rows[0][0] == (149, 149, 149) and rows[0][-1] == (255, 255, 255), rows[0]
        assert rows[0][12][0] < 100, f"no ink between the halves: {rows[0]}"
        assert "usage: photo" in self.run("photo", expected=2)
        assert "cannot read" in self.run("photo", self.scratch / "none.png", drawing, expected=1)

    def check_optimizers(self):
        self.build("optimizers")
        output = self.run("optimizers", "64")
        assert output.count("the same bits") == 3, output
        rows = [line.split() for line in output.splitlines() if " eager " in line or " fused " in line]
        assert len(rows) == 6, output
        for eager, fused in zip(rows[::2], rows[1::2]):
            assert eager[-7:-4] == fused[-7:-4], output  # these columns are iterations, evaluations and gradient

            # Columns -3 and -2 are the number of kernels and of bytes.
            assert 3 * int(fused[-3]) < int(eager[-3]) and float(fused[-2]) < float(eager[-2]), output
        assert "usage: optimizers" in self.run("optimizers", "2", expected=2)

    def check_gpu(self):
        """With --backend cuda the results of the programs are bit-identical to those of the CPU. (The GPU of this test is the emulated one
        of tests/cuda.) Without a GPU the programs print why they cannot run."""
        self.build("reaction")
        self.build("optimizers")
        fake, start, pictures = os.path.join(BUILD, "fake_cuda"), self.scratch / "start.png", []
        write_png(start, [[(x * 7 % 256, y * 11 % 256, x * y % 256) for x in range(40)] for y in range(24)])
        for backend in ("c", "cuda"):
            output = self.run("reaction", start, "--output", self.scratch, "--steps", "60", "--backend", backend, libraries=fake)
            assert "after 50 steps: the same bits" in output and ("speed, cuda:0" in output) == (backend == "cuda"), output
            pictures.append((self.scratch / "reaction.png").read_bytes())
        assert pictures[0] == pictures[1], "the pictures differ"
        output = self.run("optimizers", "12", "--backend", "cuda", libraries=fake)
        assert output.count("the same bits") == 3 and output.count("on CPU") == 3, output
        for program in ("reaction", "optimizers"):
            assert "c or cuda" in self.run(program, "--backend", "vulkan", expected=2).replace("c|cuda", "c or cuda"), program
            if "cuda: none: " in run(os.environ["HARP_TOOL"], "info"):
                output = self.run(program, "--backend", "cuda", expected=1)
                assert f"{program}: " in output and "there is no CUDA driver" in output, output


def main():
    status = 0
    with tempfile.TemporaryDirectory(prefix="harp-examples-") as name:
        examples = Examples(Path(name))
        for check in (examples.check_npb, examples.check_spirals, examples.check_photo, examples.check_optimizers, examples.check_gpu):
            try:
                check()
                print(f"pass {check.__name__}")
            except AssertionError as error:
                status = 1
                print(f"fail {check.__name__}: {error}")
    return status


if __name__ == "__main__":
    sys.exit(main())
