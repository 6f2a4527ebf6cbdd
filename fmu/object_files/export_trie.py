"""The table of exported symbols in a library of macOS: a trie. Source: dyld, MachOTrie.hpp.

This module imports nothing from contactlib, because the build uses it before contactlib can be imported.
"""

from __future__ import annotations

Exports = dict[bytes, bytes]  # by name, what the linker says of the symbol: flags and address


def read_exports(trie: bytes) -> Exports:
    """Return the exported symbols of a trie.

    A node has the length of its symbol's record and the record, then the number of its children; each child has the
    characters that lead to it, a zero byte, and its place. Numbers are ULEB128. ValueError if the trie is damaged.
    """
    found: Exports = {}
    waiting, seen = [(0, b"")], set[int]()
    while waiting:
        at, name = waiting.pop()
        if at in seen or at >= len(trie):
            raise ValueError("the table of exports has a node that lies behind its end or has two parents")
        seen.add(at)
        size, at = _read_number(trie, at)
        if size:
            found[name] = trie[at : at + size]
        children, at = _read_number(trie, at + size)
        for _ in range(children):
            end = trie.find(b"\0", at)
            if end < 0:
                raise ValueError("the table of exports has a name without an end")
            place, following = _read_number(trie, end + 1)
            waiting.append((place, name + trie[at:end]))
            at = following
    return found


def write_exports(exports: Exports) -> bytes:
    """Return the trie of these symbols; `read_exports` reads it."""
    nodes = _nodes(exports, b"")
    places = dict.fromkeys(nodes, 0)
    while True:  # a place has more bytes the larger it is, so that places grow until they fit
        at, moved = 0, False
        for prefix in nodes:
            moved |= places[prefix] != at
            places[prefix] = at
            at += len(_node(prefix, nodes, exports, places))
        if not moved:
            return b"".join(_node(prefix, nodes, exports, places) for prefix in nodes)


def _nodes(exports: Exports, prefix: bytes) -> dict[bytes, list[bytes]]:
    """The prefixes at which names part or end, the root first, each with those of its children."""
    groups: dict[int, list[bytes]] = {}
    for name in sorted(exports):
        if name.startswith(prefix) and name != prefix:
            groups.setdefault(name[len(prefix)], []).append(name)
    children = [_common_prefix(names) for names in groups.values()]
    found = {prefix: children}
    for child in children:
        found |= _nodes(exports, child)
    return found


def _common_prefix(names: list[bytes]) -> bytes:
    """Of sorted names the first and the last have the prefix that all have."""
    pairs = zip(names[0], names[-1], strict=False)
    count = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(names[0]), len(names[-1])))
    return names[0][:count]


def _node(prefix: bytes, nodes: dict[bytes, list[bytes]], exports: Exports, places: dict[bytes, int]) -> bytes:
    record = exports.get(prefix, b"")
    edges = b"".join(child[len(prefix) :] + b"\0" + _number(places[child]) for child in nodes[prefix])
    return _number(len(record)) + record + bytes([len(nodes[prefix])]) + edges


def _number(value: int) -> bytes:
    """ULEB128: seven bits a byte, the lowest first; the high bit says that more follow."""
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def _read_number(content: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while at < len(content) and shift < 64:
        value |= (content[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if content[at - 1] < 0x80:
            return value, at
    raise ValueError("the table of exports has a number without an end")
