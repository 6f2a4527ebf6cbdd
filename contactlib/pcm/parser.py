"""Parser of .pcm files: the grammar in pcm.lark turns a text into statements with their places."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import lark
from lark.parsers.lalr_interactive_parser import InteractiveParser

from contactlib.pcm.diagnostics import Source, quoted
from contactlib.pcm.syntax import Assignment, ContactType, File, Name, Parameter, Statement, Value

KEYWORDS = {"CONTACT_TYPE": "ContactType", "SURFACE_PAIR": "SurfacePair", "OBJECT_PAIR": "ObjectPair"}
_SIGNS = {
    "ARROW": "'->'", "OPEN": "'[{'", "CLOSE": "'}]'", "EQUALS": "'='", "STAR": "'*'", "LEFT": "'('", "RIGHT": "')'",
    "COMMA": "','", "END": "';'", "NAME": "a name", "NUMBER": "a number", "TEXT": "a text in quotes", "UNIT": "a unit",
    "CLASS": "module:Class",
    **{kind: word for kind, word in KEYWORDS.items()},
}


class _Reader(lark.Transformer[lark.Token, Statement]):
    """Converts the parse tree: one method per rule of the grammar."""

    def contact_type(self, parts: list[Any]) -> ContactType:
        keyword, name, _, model, opened, *parameters, _close, end = parts
        return ContactType(_name(name), _name(model), tuple(p for p in parameters if isinstance(p, Parameter)),
                           keyword.start_pos, opened.start_pos if opened else -1, end.start_pos + 1)

    def surface_pair(self, parts: list[Any], kind: str = "surface") -> Assignment:
        keyword, one, _, other, _, contact, end = parts
        return Assignment(kind, (_name(one), _name(other)), _name(contact), keyword.start_pos, end.start_pos + 1)

    def object_pair(self, parts: list[Any]) -> Assignment:
        return self.surface_pair(parts, "object")

    def parameter(self, parts: list[Any]) -> Parameter:
        name, _, value, end = parts
        return Parameter(_name(name), value, end.start_pos + 1)

    def number(self, parts: list[Any]) -> Value:
        number, *unit = parts
        return Value(float(number), str(number), _name(unit[0]) if unit else None, number.start_pos)

    def numbers(self, parts: list[Any]) -> Value:
        given = [part for part in parts if part.type == "NUMBER"]
        unit = None if parts[-1].type == "RIGHT" else _name(parts[-1])
        return Value(tuple(map(float, given)), f"({', '.join(given)})", unit, parts[0].start_pos)

    def text(self, parts: list[Any]) -> Value:
        return Value(str(parts[0])[1:-1], str(parts[0]), None, parts[0].start_pos)


def _name(token: lark.Token) -> Name:
    return Name(str(token), cast(int, token.start_pos))


@cache
def _parser() -> lark.Lark:
    grammar = (Path(__file__).parent / "pcm.lark").read_text(encoding="utf-8")
    return lark.Lark(grammar, parser="lalr", lexer="basic", start="statement", transformer=_Reader(),
                     maybe_placeholders=True)


@cache
def _pattern() -> re.Pattern[str]:
    """Return the terminals of the grammar, then a text without its end quote, then any other character."""
    parts = [f"(?P<{terminal.name}>{terminal.pattern.to_regexp()})" for terminal in _parser().terminals]
    return re.compile("|".join([*parts, r'(?P<OPEN_TEXT>"[^"\n]*)', r"(?P<STRAY>[\s\S])"]))


def statements_of(source: Source) -> File:
    """Parse all statements. Syntax errors are reported to `source`, one per statement."""
    comments: list[tuple[int, str]] = []
    statements: list[Statement] = []
    broken: set[str] = set()
    whole = True
    for piece, ended in _pieces(_tokens(source.text, comments)):
        if source.full:
            break
        if not whole and piece[0].type in ("CLOSE", "STRAY"):
            continue  # the rest of an invalid statement
        statement = _statement(piece, ended, source)
        whole = statement is not None
        if statement is not None:
            statements.append(statement)
        elif len(piece) > 1 and piece[0].type == "CONTACT_TYPE" and piece[1].type == "NAME":
            broken.add(str(piece[1]))
    return File(tuple(statements), tuple(comments), source, frozenset(broken))


def _tokens(text: str, comments: list[tuple[int, str]]) -> Iterator[lark.Token]:
    """Yield the tokens of a text; comments are appended to `comments`."""
    for match in _pattern().finditer(text):
        kind = cast(str, match.lastgroup)
        if kind == "COMMENT":
            comments.append((match.start(), match[0]))
        elif kind != "SPACE":
            yield lark.Token(kind, match[0], match.start())


def _pieces(tokens: Iterable[lark.Token]) -> Iterator[tuple[list[lark.Token], bool]]:
    """Yield the tokens of each statement, and whether it has its ';'. Without ';' it ends before the next keyword."""
    piece: list[lark.Token] = []
    inside = False
    for token in tokens:
        kind = token.type
        if kind in KEYWORDS and piece:
            yield piece, False
            piece, inside = [], False
        piece.append(token)
        if kind == "OPEN":
            inside = True
        elif kind == "CLOSE":
            inside = False
        elif kind == "END" and not inside:
            yield piece, True
            piece = []
    if piece:
        yield piece, False


def _statement(piece: list[lark.Token], ended: bool, source: Source) -> Statement | None:
    """Parse one statement; None after a syntax error, which is reported."""
    parser = _parser().parse_interactive()
    for i, token in enumerate(piece):
        try:
            parser.feed_token(token)
        except lark.UnexpectedToken:
            source.report(*_unexpected(piece, i, _accepted(parser)))
            return None
    if ended:
        return cast(Statement, parser.feed_eof())  # type: ignore[no-untyped-call]
    opened = [token for token in piece if token.type in ("OPEN", "CLOSE")]
    if opened and opened[-1].type == "OPEN":
        source.report(cast(int, opened[-1].start_pos),
                     "this block is not closed: expected '}]' before the statement ends")
    else:
        last = piece[-1]
        source.report(cast(int, last.start_pos) + len(last),
                     f"the statement stops here: expected {_either(_accepted(parser))}")
    return None


def _accepted(parser: InteractiveParser) -> set[str]:
    """Return the kinds of tokens that the grammar accepts next."""
    return cast(set[str], parser.accepts())  # type: ignore[no-untyped-call]


def _unexpected(piece: list[lark.Token], i: int, accepted: set[str]) -> tuple[int, str]:
    """Return offset and sentence for a token that the grammar does not accept at its place."""
    token, at = piece[i], cast(int, piece[i].start_pos)
    expected = f"expected {_either(accepted)}"
    if token.type == "OPEN_TEXT":
        return at, "this text is not closed: expected '\"' before the end of the line"
    if token.type == "STRAY":
        sign = str(token)
        named = quoted(sign) if sign.isascii() and sign.isprintable() else f"the character U+{ord(sign):04X}"
        return at, f"{named} has no meaning here: {expected}"
    if token.type == "NAME" and i == 0:
        near = difflib.get_close_matches(str(token)[:99], KEYWORDS.values(), n=1)
        return at, f"{expected}, found {quoted(token)}" + (f"; did you mean '{near[0]}'?" if near else "")
    if token.type == "NAME" and {"NUMBER", "TEXT"} <= accepted:
        return at, f"{expected}, found {quoted(token)}; put a text in quotes"
    return at, f"{expected}, found {quoted(token)}"


def _either(kinds: set[str]) -> str:
    """"a name or ';'", in the order of _SIGNS."""
    # a unit may follow any number: to name it would not help someone who forgot a sign
    hidden = ("NAME", "UNIT") if "UNIT" in kinds else ()
    wanted = [sign for kind, sign in _SIGNS.items() if kind in kinds and kind not in hidden]
    return wanted[0] if len(wanted) == 1 else f"{', '.join(wanted[:-1])} or {wanted[-1]}"
