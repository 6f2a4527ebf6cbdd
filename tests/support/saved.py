"""Saved states from outside: their parts and their checksum, by the layout of core/boundary/saved_state.hpp."""

import re
import struct
from pathlib import Path

import contactlib

MARK = b"CLSTATE\n"
HEADER = struct.Struct("<8sQII64sQ")
COVERED = 16  # the checksum stands for every byte from here on
CORE = Path(contactlib.__file__).parent / "core"


def version() -> int:
    """Of states, as core/boundary/saved_state.hpp has it."""
    return int(re.search(r"saved_version = (\d+);", (CORE / "boundary" / "saved_state.hpp").read_text())[1])


def globals_in_order() -> list[str]:
    """The numbers at the head of a state, as core/state/data.hpp lists them."""
    text = (CORE / "state" / "data.hpp").read_text()
    head = re.search(r"struct Globals \{(.*?)\n\};", text, re.DOTALL)[1]
    return [name.strip() for line in re.findall(r"double ([^;]*);", head) for name in line.split(",")]


GLOBALS = globals_in_order()


def checksum(content: bytes) -> int:
    """Of whole words of 8 bytes: h <- (h ^ w) m, and the high half into the low one."""
    h = 0xCBF29CE484222325
    for (word,) in struct.iter_unpack("<Q", content[:len(content) // 8 * 8]):
        h = (h ^ word) * 0x9E3779B97F4A7C15 % 2**64
        h ^= h >> 32
    return h


def sealed(state: bytes) -> bytes:
    """The mark, count and checksum as they should be, so that damage behind them gets in; else as it is."""
    if len(state) < HEADER.size:
        return state
    count = struct.pack("<Q", (len(state) - HEADER.size) // 8)
    covered = state[COVERED:HEADER.size - 8] + count + state[HEADER.size:]
    return MARK + struct.pack("<Q", checksum(covered)) + covered


def sealed_fmu(state: bytes) -> bytes:
    """A serialised state of an FMU: mark 8, checksum of the 16 bytes behind it, these, then the core's state."""
    life = state[16:32]
    return b"CLSTATE2" + struct.pack("<Q", checksum(life)) + life + sealed(state[32:])
