"""The modelIdentifier of a scene: the name of the libraries in its FMU."""

from __future__ import annotations

import re
import unicodedata

#: FMI demands an identifier of C; some importers generate C or C++ with it
WORDS = """
    alignas alignof and asm auto bool break case catch char class concept const constexpr continue co_await co_return
    co_yield decltype default delete do double else enum explicit export extern false float for friend goto if import
    inline int long module mutable namespace new noexcept not nullptr operator or private protected public register
    reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile
    wchar_t while xor
"""
KEYWORDS = frozenset(WORDS.split())
#: names of devices, which a file on Windows must not have, with any suffix
DEVICES = frozenset(["con", "prn", "aux", "nul", *(f"{port}{i}" for port in ("com", "lpt") for i in range(10))])
#: letters that are significant in an identifier of C, section 5.2.4.1 of the standard
LENGTH = 63


def model_identifier(name: str) -> str:
    """Return a scene's name as an identifier of C that is also a file name on every system.

    Letters lose their accents, all other characters become underscores.

    Examples
    --------
    >>> model_identifier("peg_in_hole"), model_identifier("Trampoline, 2 m"), model_identifier("3 pins")
    ('peg_in_hole', 'Trampoline_2_m', 'scene_3_pins')
    """
    text = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    text = re.sub(r"\W+", "_", text).strip("_")
    if not is_identifier(text):
        text = f"scene_{text}".rstrip("_")
    return text[:LENGTH]


def is_identifier(text: str) -> bool:
    """Return whether a text is an identifier of C and the name of a file on every system.

    Examples
    --------
    >>> is_identifier("peg"), is_identifier("peg-1"), is_identifier("int"), is_identifier("nul")
    (True, False, False, False)
    """
    valid = re.fullmatch(r"[A-Za-z_]\w*", text, re.ASCII) is not None
    return valid and text not in KEYWORDS and text.lower() not in DEVICES
