"""Links of all Markdown pages lead to files that exist and to headings that exist. No network is used."""

from pathlib import Path

import pytest

from tests.repository.doc_blocks import ROOT, anchors, links, pages

#: pages of the site whose targets are generated: Sphinx checks their links
SITE = "docs/website/pages/"


@pytest.mark.parametrize("page", [page for page in pages() if not page.startswith(SITE)])
def test_links_lead_somewhere(page: str):
    missing = []
    for path, anchor in links(page):
        target = (ROOT / page).parent / path if path else ROOT / page
        if not target.exists():
            missing.append(path)
        elif anchor and target.suffix == ".md":
            name = target.resolve().relative_to(ROOT).as_posix()
            if anchor not in anchors(name):
                missing.append(f"{path}#{anchor}")
    assert missing == []


def test_links_are_found():
    found = [link for page in pages() for link in links(page)]
    assert len(found) > 150 and sum(bool(anchor) for _, anchor in found) > 20


def test_a_broken_link_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tests.repository.doc_blocks.ROOT", tmp_path)
    text = "# A `b` c: d\n\n[x](no.md) [y](#a-b-c-d)\n\n    [z](code.md)\n"
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    assert links("page.md") == [("no.md", ""), ("", "a-b-c-d")]
    assert anchors("page.md") == {"a-b-c-d"}
