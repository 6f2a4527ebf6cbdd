"""docs/pcm.md: the tables of models and parameters are those of the parser, and its example is a good file."""

import re
import textwrap
from pathlib import Path

import pytest

from contactlib import pcm
from contactlib._core import engine
from contactlib.pcm.models import ADDED, COMMON, row_keys

PAGE = Path(__file__).parents[2] / "docs" / "pcm.md"
FIRST, LAST = "<!-- models: written by `python -m tests.pcm.test_pcm_docs` -->\n", "<!-- end of models -->\n"


def rows(keys):
    """Lines of a table of keys."""
    for key in keys:
        unit = "" if key.unit == "1" else key.unit
        takes = f"list of {key.length}, " if key.length else "list, " if key.length == 0 else ""
        least = "" if key.minimum == float("-inf") else f"{'above' if key.above else 'from'} {key.minimum:g}"
        default = "required" if key.default is None else f"`{key.default}`"
        meaning = key.meaning.replace("|", "\\|")
        yield f"| `{key.name}` | {unit} | {default} | {f'{takes}{least}'.rstrip(', ')} | {meaning} |"


def tables():
    """What stands between the two marks."""
    head = ["| key | unit | default | takes | |", "|---|---|---|---|---|"]
    lines = []
    for name, model in pcm.models().items():
        own = [key for key in model.keys if not key.choice]
        adds = [f"`{key.name}`" for key in model.keys if key.choice]
        also = f"; also {', '.join(adds[:-1])} and {adds[-1]}, see below" if adds else ""
        lines += [f"`{name}`{f': {model.meaning}' if model.meaning else ''}{also}", "", *head, *rows(own), ""]
    for part in ADDED:
        for kind, _ in engine.law_tables()[part]:
            keys = row_keys(part, kind)
            lines += [f"`{part}=\"{kind}\"`" + ("" if keys else ", which is so by itself"), ""]
            lines += [*head, *rows(keys), ""] if keys else []
    return "\n".join(lines)


def current():
    page = PAGE.read_text(encoding="utf-8")
    before, after = page.index(FIRST) + len(FIRST), page.index(LAST)
    return page[:before] + "\n" + tables() + "\n" + page[after:]


def test_the_page_is_current():
    """Else `python -m tests.pcm.test_pcm_docs`."""
    assert PAGE.read_text(encoding="utf-8") == current()


def test_every_key_is_on_the_page():
    page = PAGE.read_text(encoding="utf-8")
    for key in COMMON:
        assert f"| `{key.name}` |" in page


def blocks():
    return [textwrap.dedent(block) for block in re.findall(r"(?:^    .*\n|^\n(?=    ))+", PAGE.read_text(), re.M)]


def test_the_example_is_a_good_file():
    text = next(block for block in blocks() if "ContactType" in block)
    contacts = pcm.loads(text)
    assert [law.name for law in contacts.laws] == ["C0", "pad"] and not contacts.unused
    assert pcm.format_text(text) == text.lstrip("\n")


def test_the_errors_are_what_is_said():
    """The two of the page, of the lines that it shows."""
    shown = PAGE.read_text(encoding="utf-8").partition("```console\n$ contactlib pcm check")[2].partition("```")[0]
    line = "\n\nContactType   C1 = SprngContact [{ K=1000; }];\n"
    with pytest.raises(pcm.PcmError) as error:
        pcm.loads(line, "feet.pcm")
    assert str(error.value) in shown


if __name__ == "__main__":
    PAGE.write_text(current(), encoding="utf-8")
