"""The container of a page's data: a header as JSON and arrays, which page/data.js reads.

Layout: 8 bytes "CLVIEW01", the length of the header and that of the whole container (uint32, little-endian), the header
in UTF-8, the arrays. All of it is compressed with zlib, whose checksum the browser verifies.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MAGIC = b"CLVIEW01"
#: types of numbers by their names in the header; all are little-endian
TYPES = {"f4": np.float32, "f8": np.float64, "i2": np.int16, "u1": np.uint8, "u2": np.uint16, "u4": np.uint32}
#: largest number of int16
LARGEST = 32767


class Quantised(NamedTuple):
    """Points as integers: p = centre + step * offset, with centres (3, T) and offsets (n, 3, T)."""

    centre: NDArray[np.float32]
    offsets: NDArray[np.int16]
    step: float


def encode(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the compressed container.

    Arrays of int16 have time as their last axis and are stored as differences along it.

    >>> whole = zlib.decompress(encode({"name": "run"}, {"time": np.array([0.0, 0.1])}))
    >>> whole[:8], len(whole) == struct.unpack("<2I", whole[8:16])[1]
    (b'CLVIEW01', True)
    """
    blocks, entries, at = [], {}, 0
    for name, array in arrays.items():
        block, entries[name] = _block(array)
        entries[name]["at"] = at
        blocks.append(block)
        at += len(block)
    text = json.dumps({**header, "arrays": entries}, ensure_ascii=False, allow_nan=False).encode()
    size = len(MAGIC) + 8 + len(text) + at
    if size >= 1 << 32:
        raise ValueError(f"the data of the page have {size} bytes, must be below 4 GiB: choose a larger --every")
    return zlib.compress(b"".join([MAGIC, struct.pack("<2I", len(text), size), text, *blocks]), 6)


def _block(array: NDArray[Any]) -> tuple[bytes, dict[str, Any]]:
    """Return the bytes of an array, those of equal significance together, and its entry in the header."""
    kind = next(name for name, dtype in TYPES.items() if array.dtype == dtype)
    delta = kind == "i2"
    values = np.ascontiguousarray(array)
    if delta:  # differences of int16 wrap around, and so does their sum
        values = values.copy()
        values[..., 1:] -= array[..., :-1]
    planes = values.view(np.uint8).reshape(-1, values.itemsize).T
    return planes.tobytes(), {"type": kind, "shape": list(array.shape), "delta": delta}


def quantise(points: NDArray[np.float64]) -> Quantised:
    """Return points (T, n, 3) in m as integers about their middle in each frame.

    >>> points = np.array([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]], [[5.0, 0.0, 0.0], [6.0, 0.0, 0.5]]])
    >>> centre, offsets, step = quantise(points)
    >>> bool(abs(centre.T[:, None] + step * offsets.transpose(2, 0, 1) - points).max() <= step)
    True
    """
    points = np.nan_to_num(points)
    centre = (0.5 * (points.min(axis=1) + points.max(axis=1))).astype(np.float32)
    offsets = points - centre[:, None, :]
    step = float(np.abs(offsets).max(initial=0.0)) / LARGEST or 1.0
    whole = np.rint(offsets / step).clip(-LARGEST, LARGEST).astype(np.int16)
    return Quantised(np.ascontiguousarray(centre.T), np.ascontiguousarray(whole.transpose(1, 2, 0)), step)
