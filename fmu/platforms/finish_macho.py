"""Corrects what zig's linker leaves undone in a library of macOS: exports, binding at load, and then the signature.

Sources: Apple, mach-o/loader.h; cs_blobs.h of XNU.
"""

from __future__ import annotations

import hashlib
import struct

from ..object_files.export_trie import read_exports, write_exports

PREFIX = b"_fmi2"
BIND_AT_LOAD = 0x8
DYLD_INFO, CODE_SIGNATURE = 0x80000022, 0x1D
SIGNATURES, CODE_DIRECTORY = 0xFADE0CC0, 0xFADE0C02


def finish_macho(content: bytes) -> bytes:
    """Return a thin library that exports the functions of FMI alone and binds all symbols when it is loaded.

    Parameters
    ----------
    content
        The library as zig links it.

    Raises
    ------
    ValueError
        If the library has no table of exports.
    """
    file = bytearray(content)
    (flags,) = struct.unpack_from("<I", file, 24)
    struct.pack_into("<I", file, 24, flags | BIND_AT_LOAD)
    info = _command(file, DYLD_INFO)
    if info is None:
        raise ValueError("the library has no table of exports for dyld")
    at, size = struct.unpack_from("<II", file, info + 40)
    kept = {name: what for name, what in read_exports(content[at : at + size]).items() if name.startswith(PREFIX)}
    trie = write_exports(kept)
    if len(trie) > size:
        raise ValueError(f"the table of exports has {len(trie)} bytes; the linker left place for {size}")
    file[at : at + size] = trie.ljust(size, b"\0")
    _sign(file)
    return bytes(file)


def _command(file: bytes | bytearray, wanted: int) -> int | None:
    (count,) = struct.unpack_from("<I", file, 16)
    at = 32
    for _ in range(count):
        kind, size = struct.unpack_from("<II", file, at)
        if kind == wanted:
            return at
        at += size
    return None


def _sign(file: bytearray) -> None:
    """Write the hashes of the file's pages into its signature, if it has one ("ad hoc", without a key)."""
    command = _command(file, CODE_SIGNATURE)
    if command is None:
        return
    (start,) = struct.unpack_from("<I", file, command + 8)
    magic, _size, count = struct.unpack_from(">III", file, start)
    for i in range(count if magic == SIGNATURES else 0):
        _kind, offset = struct.unpack_from(">II", file, start + 12 + 8 * i)
        directory = start + offset
        if struct.unpack_from(">I", file, directory)[0] != CODE_DIRECTORY:
            continue
        hashes, _identity, _special, pages, limit = struct.unpack_from(">IIIII", file, directory + 16)
        size, page = file[directory + 36], 1 << file[directory + 39]
        for k in range(pages):
            digest = hashlib.sha256(file[k * page : min((k + 1) * page, limit)]).digest()
            file[directory + hashes + k * size : directory + hashes + (k + 1) * size] = digest[:size]
