"""Joins Mach-O files of several architectures into one "fat" file, as macOS loads it."""

from __future__ import annotations

import struct
from collections.abc import Sequence

FAT_MAGIC = 0xCAFEBABE
THIN_MAGIC = 0xFEEDFACF
#: log2 of the alignment: pages of arm64 have 16 KiB
ALIGNMENT = 14


def join_architectures(files: Sequence[bytes]) -> bytes:
    """Return one file that contains 64-bit Mach-O files of several architectures.

    The header is big-endian: a magic number and a count, then for each file its processor, its place and its alignment.

    Parameters
    ----------
    files
        The contents of the files, each of another architecture.

    Raises
    ------
    ValueError
        If one of them is not a 64-bit Mach-O file, or if two are for one architecture.
    """
    page = 1 << ALIGNMENT
    header = struct.pack(">II", FAT_MAGIC, len(files))
    body = b""
    start = -(-(len(header) + 20 * len(files)) // page) * page
    seen = set[int]()
    for content in files:
        if len(content) < 32 or struct.unpack_from("<I", content)[0] != THIN_MAGIC:
            raise ValueError("a file to be joined is not a 64-bit Mach-O file")
        processor, kind = struct.unpack_from("<II", content, 4)
        if processor in seen:
            raise ValueError(f"two files to be joined are for processor {processor:#x}; there must be one for each")
        seen.add(processor)
        body += bytes(-len(body) % page)
        header += struct.pack(">IIIII", processor, kind, start + len(body), len(content), ALIGNMENT)
        body += content
    return header + bytes(start - len(header)) + body
