"""Builds the docs site in out/docs: `python -m docs.website`, as `make docs` does.

    python -m docs.website                       # pages, examples, site; out/docs/html/index.html
    python -m docs.website --without-examples    # the gallery shows only what an earlier build made
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

from docs.website import api_pages, gallery, live_pages, reports, scene_pages
from docs.website.check import problems
from docs.website.staging import OUT, ROOT, Stage


def main(arguments: list[str] | None = None) -> int:
    """Write all pages into one tree, then run Sphinx on it; a warning of Sphinx, or a broken link, is an error."""
    parser = argparse.ArgumentParser(prog="python -m docs.website", description=main.__doc__)
    parser.add_argument("--without-examples", action="store_true", help="run no example of the gallery")
    options = parser.parse_args(arguments)
    start = time.perf_counter()
    stage = Stage(OUT / "source")
    stage.copy_pages()
    scene_pages.write(stage, live_pages.write())
    api_pages.write(stage)
    reports.write(stage)
    print(f"pages written after {time.perf_counter() - start:.0f} s", flush=True)
    gallery.write(stage, OUT / "gallery", run=not options.without_examples)
    stage.remove_old()
    print(f"examples done after {time.perf_counter() - start:.0f} s", flush=True)
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-c", str(ROOT / "docs"),
               "-d", str(OUT / "doctrees"), str(stage.folder), str(OUT / "html")]
    code = subprocess.run(command, cwd=ROOT).returncode
    found = list(problems(OUT / "html")) if code == 0 else []
    for problem in found:
        print(problem, file=sys.stderr)
    if code == 0 and not found:
        print(f"{OUT / 'html' / 'index.html'} after {time.perf_counter() - start:.0f} s")
    return code or int(bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
