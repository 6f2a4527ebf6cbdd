"""The icon of an FMU, model.png: two discs in contact, and the force between them."""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

SIZE = 128  # px
PNG = b"\x89PNG\r\n\x1a\n"
#: (x, y) of the middle, radius, and colour of the discs; px
DISCS = ((44.0, 78.0, 34.0, (31, 111, 180)), (92.0, 44.0, 26.0, (224, 123, 57)))
LINE = (34, 48, 60)


def icon() -> bytes:
    """Return the icon as a PNG file with a transparent background.

    Examples
    --------
    >>> icon()[:4]
    b'\\x89PNG'
    """
    y, x = np.mgrid[0:SIZE, 0:SIZE] + 0.5
    image = np.zeros((SIZE, SIZE, 4))
    for cx, cy, radius, colour in DISCS:
        _paint(image, np.sqrt((x - cx) ** 2 + (y - cy) ** 2) - radius, colour)
    for sign in (-1.0, 1.0):  # a bar from the point of contact along the normal, on both sides
        along = sign * ((x - 71.4) * 0.816 - (y - 58.7) * 0.578)
        across = np.abs((x - 71.4) * 0.578 + (y - 58.7) * 0.816)
        _paint(image, np.maximum(across - 3.0, np.maximum(-along, along - 26.0)), LINE)
        _paint(image, np.maximum(across - 0.6 * (34.0 - along), 22.0 - along), LINE)
    return _png(np.round(image).astype(np.uint8))


def _paint(image: NDArray[np.float64], distance: NDArray[np.float64], colour: tuple[int, int, int]) -> None:
    """Paint the points with a negative distance (px); the border is smooth over a pixel."""
    cover = np.clip(0.5 - distance, 0.0, 1.0)[..., None]
    paint = np.array([*colour, 255.0])
    image[...] = image * (1.0 - cover) + paint * cover


def _png(image: NDArray[np.uint8]) -> bytes:
    """Encode (height, width, 4): W3C, Portable Network Graphics, colour type 6. Stored without compression."""
    height, width, _ = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    # compressed bytes depend on the version of zlib; stored ones do not
    return PNG + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows, 0)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
