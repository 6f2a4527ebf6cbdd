"""Readers of ELF, PE and Mach-O files: the check finds each fault, and a damaged file gives an error, never a crash."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contactlib.fmu import export
from contactlib.fmu.object_files import check, elf
from contactlib.fmu.object_files.check import find_problems
from contactlib.fmu.object_files.data import ObjectFile
from contactlib.fmu.object_files.export_trie import read_exports, write_exports
from contactlib.fmu.object_files.read import needs, of_system, read_object_file
from contactlib.fmu.platforms.table import PLATFORMS
from tests.support.platforms import Binaries

LINUX = PLATFORMS["linux64"]
GOOD = ObjectFile("ELF", "x86_64", "glibc 2.17", exports=check.FUNCTIONS, libraries=("libc.so.6",),
                  imports=frozenset({"__stack_chk_fail", "malloc"}), versions=frozenset({"GLIBC_2.17", "GLIBC_2.2.5"}))


def problems(monkeypatch: pytest.MonkeyPatch, content: bytes = b"", **changes: object) -> list[str]:
    """Of a file that is good but for these changes."""
    monkeypatch.setattr(check, "read_object_file", lambda _: (replace(GOOD, **changes),))  # type: ignore[arg-type]
    return find_problems(content, LINUX, [Path("/opt/sources")])


def test_nothing_is_wrong_with_a_good_file(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problems(monkeypatch) == []


@pytest.mark.parametrize(("changes", "told"), [
    ({"exports": check.FUNCTIONS - {"fmi2DoStep"}}, "it does not export fmi2DoStep"),
    ({"exports": check.FUNCTIONS | {"_Znwm"}}, "it exports more than the functions of FMI and of contactlib.h: _Znwm"),
    ({"libraries": ("libstdc++.so.6",)}, r"it needs libstdc\+\+\.so\.6; it may need only libc\.so\.6"),
    ({"versions": frozenset({"GLIBC_2.2.5", "GLIBC_2.35"})}, r"it imports GLIBC_2\.35; the newest .* is 2\.17"),
    ({"folders": ("/opt",)}, "it names folders for the search of libraries: /opt"),
    ({"binds_now": False}, "it binds symbols at their first call"),
    ({"hardened": False}, "its stack or its data can be executed"),
    ({"imports": frozenset({"malloc"})}, "it has no stack protector"),
    ({"machine": "aarch64"}, "it is for aarch64; it must be for x86_64"),
])
def test_each_fault_is_found(monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        assert problems(monkeypatch, **changes) == []
    assert len(problems(monkeypatch, **changes)) == 1


@pytest.mark.parametrize(
    "path", [b"/opt/sources/core/a.cpp", b"/home/ann/x.cpp", b"C:\\Users\\ann\\x.cpp", b"/opt/sources\0"]
)
def test_paths_of_the_machine_are_found(monkeypatch: pytest.MonkeyPatch, path: bytes) -> None:
    assert len(problems(monkeypatch, content=b"abc\0" + path + b"\0")) == 1
    assert problems(monkeypatch, content=b"abc\0/proc/self\0/opt/sourcesafe") == []


def test_needs_names_what_must_be_installed() -> None:
    assert needs((GOOD,)) == "x86_64, glibc 2.17"
    fortran = replace(GOOD, libraries=("libc.so.6", "libgfortran.so.5"))
    assert needs((fortran,)) == "x86_64, glibc 2.17, libgfortran.so.5"
    assert of_system("PE", "KERNEL32.dll") and of_system("PE", "api-ms-win-crt-heap-l1-1-0.dll")
    assert not of_system("PE", "libstdc++-6.dll")


def test_versions_are_compared_as_numbers() -> None:
    assert elf.newest_glibc(frozenset({"GLIBC_2.9", "GLIBC_2.17"})) == "glibc 2.17"
    assert elf.newest_glibc(frozenset({"GLIBC_PRIVATE", "GCC_3.0"})) == ""


@given(st.dictionaries(st.text("_abfmi2", min_size=1, max_size=12).map(str.encode), st.binary(min_size=1, max_size=9),
                       max_size=40))
def test_export_trie_is_read_back(exports: dict[bytes, bytes]) -> None:
    assert read_exports(write_exports(exports)) == exports


# ---- damage --------------------------------------------------------------------------------------


def survives(content: bytes) -> bool:
    """Whether the file is read; any other error than ValueError fails the test."""
    try:
        needs(read_object_file(content))
    except ValueError:
        return False
    return True


def damaged(content: bytes, seed: int) -> bytes:
    """The file with a few numbers replaced, most of them in its headers, or cut off."""
    random = np.random.default_rng(seed)
    changed = bytearray(content)
    for _ in range(random.integers(1, 6)):
        at = int(random.integers(0, len(content) if random.random() < 0.3 else 2000) // 4 * 4)
        struct.pack_into("<I", changed, min(at, len(content) - 4), int(random.choice([0, 1, 0xFFFFFFFF, 0x7FFFFFFF,
                                                                                     random.integers(0, 1 << 32)])))
    return bytes(changed[: random.integers(0, len(content))] if random.random() < 0.2 else changed)


@pytest.mark.parametrize("name", PLATFORMS)
def test_damaged_files_give_errors(name: str, binaries: Binaries) -> None:
    content = binaries.path(name).read_bytes()
    assert survives(content)
    read = sum(survives(damaged(content, seed)) for seed in range(300))
    assert 0 < read < 300


def test_a_damaged_file_of_this_machine_gives_an_error() -> None:
    content = next(iter(export.binaries()))[1]
    read = sum(survives(damaged(content, seed)) for seed in range(300))
    assert 0 < read < 300


@settings(max_examples=200)
@given(st.sampled_from([b"\x7fELF\x02\x01", b"MZ", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b""]),
       st.binary(max_size=400))
def test_anything_gives_an_error(magic: bytes, rest: bytes) -> None:
    survives(magic + rest)
