"""Checks the finished site: local targets exist, and no page loads anything from another server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

TARGET = re.compile(r'<(?P<tag>a|img|script|link|iframe)\b[^>]*?\b(?:href|src)="(?P<target>[^"]*)"')
ANCHOR = re.compile(r'\b(?:id|name)="([^"]*)"')
STYLE = re.compile(r"url\(['\"]?(https?:|//)|@import\s+['\"]?(?:url\()?https?:")


def problems(folder: Path) -> Iterator[str]:
    """Yield a sentence for each missing target, and for each file that a page loads from elsewhere."""
    pages = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.html"))
             if "_static" not in path.parts}
    anchors = {path: set(ANCHOR.findall(text)) for path, text in pages.items()}
    for path, text in pages.items():
        name = path.relative_to(folder)
        for tag, target in set(TARGET.findall(text)):
            if re.match(r"[a-z]+:|//", target):
                if tag != "a" and not target.startswith("data:"):
                    yield f"{name} loads {target}"
                continue
            file, _, anchor = unquote(target).partition("#")
            found = (path.parent / file.partition("?")[0]).resolve() if file else path
            if not found.exists():
                yield f"{name}: {target} does not exist"
            elif anchor and found in anchors and anchor not in anchors[found]:
                yield f"{name}: {target} has no such anchor"
    for path in folder.rglob("*.css"):
        if STYLE.search(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(folder)} loads a file of another server"
