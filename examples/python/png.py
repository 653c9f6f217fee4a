"""PNG files as NumPy arrays [height, width, 3] of bytes, with Python's own zlib."""
import struct
import zlib

import numpy as np


def write(path, pixels):
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), np.ascontiguousarray(pixels).reshape(height, width * 3)], axis=1)
    chunks = [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")]
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, data in chunks:
            file.write(struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)))


def read(path):
    """Reads 8-bit grey, RGB or RGBA files that are not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed, channels = 8, b"", 0
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + size]
        if name == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            channels = {0: 1, 2: 3, 6: 4}.get(colour, 0)
            if depth != 8 or channels == 0 or interlaced:
                raise ValueError(f"{path}: only 8-bit grey, RGB and RGBA files that are not interlaced are read")
        packed += body if name == b"IDAT" else b""
        at += size + 12
    raw, stride = zlib.decompress(packed), width * channels
    above, rows = bytes(stride), []
    for row in range(height):
        kind, line = raw[row * (stride + 1)], bytearray(raw[row * (stride + 1) + 1 : (row + 1) * (stride + 1)])
        for i in range(stride if kind else 0):
            left, corner = (line[i - channels], above[i - channels]) if i >= channels else (0, 0)
            estimate = left + above[i] - corner
            nearest = min((left, above[i], corner), key=lambda value: abs(estimate - value))
            line[i] = (line[i] + (0, left, above[i], (left + above[i]) // 2, nearest)[kind]) & 255
        above = bytes(line)
        rows.append(above)
    pixels = np.frombuffer(b"".join(rows), np.uint8).reshape(height, width, channels)
    return np.repeat(pixels, 3, axis=2) if channels == 1 else pixels[:, :, :3].copy()
