"""The tree of pages that Sphinx reads: Markdown pages of the repository at their own paths, and generated pages.

The tree mirrors the repository, so relative links work as they do on GitHub and GitLab. A file whose content has not
changed is not written again: Sphinx then keeps what it made of it.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUT = ROOT / "out" / "docs"
#: pages of the repository, at the same path in the tree
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/*.md", "examples/README.md",
         "benchmarks/README.md", "validation_data/*/README.md")
PICTURES = ("docs/images/*.*", "docs/images/scenes/*")
#: pages that exist for the site only, at the root of the tree
OWN = Path(__file__).parent / "pages"
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")


def linked_files(page: Path) -> list[Path]:
    """The files beside pages that a page of the repository links, such as an example or a scene file."""
    text = page.read_text(encoding="utf-8")
    targets = [(page.parent / name).resolve() for name in LINK.findall(text)]
    return [target for target in targets if target.is_file()]


class Stage:
    """A folder whose files are exactly those that one build writes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: set[Path] = set()

    def write(self, name: str, content: str | bytes) -> Path:
        """Write a file of the tree, if its content is new."""
        data = content.encode() if isinstance(content, str) else content
        path = self.folder / name
        self.written.add(path)
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return path

    def copy_pages(self) -> None:
        """Copy the pages of the repository, their pictures, and the files that they link."""
        for pattern in (*PAGES, *PICTURES):
            for path in sorted(ROOT.glob(pattern)):
                self.copy(path)
                if path.suffix == ".md":
                    for target in linked_files(path):
                        self.copy(target)
        for path in sorted(OWN.glob("*.md")):
            self.write(path.name, path.read_bytes())

    def copy(self, path: Path) -> None:
        self.write(path.relative_to(ROOT).as_posix(), path.read_bytes())

    def remove_old(self) -> None:
        """Remove the files of earlier builds that this build did not write."""
        for path in self.folder.rglob("*"):
            if path.is_file() and path not in self.written:
                path.unlink()
