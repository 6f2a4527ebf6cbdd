"""Pages of the validation and of the benchmarks: their figures where a run left them in out/, else their commands."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

from docs.website.gallery import package_digest
from docs.website.scene_pages import cases
from docs.website.staging import OUT, ROOT, Stage
from docs.website.tables import table

#: folder of files that the site holds as they are
EXTRA = OUT / "extra"
REPORT = "validation/report.html"


def write(stage: Stage) -> None:
    """Write both pages."""
    stage.write("validation_report.md", validation_page(validation_report(EXTRA / REPORT)))
    stage.write("benchmark_figures.md", benchmark_page(ROOT / "out" / "benchmarks"))


def validation_report(target: Path) -> str:
    """Put the report of `make validate` into the site, or make one of the quick cases; return what it holds."""
    whole, key = ROOT / "out" / "validation.html", target.with_suffix(".key")
    target.parent.mkdir(parents=True, exist_ok=True)
    if whole.is_file():
        target.write_bytes(whole.read_bytes())
        key.unlink(missing_ok=True)
        return "It was written by `make validate`."
    text = "It holds the cases that take at most 3 s. `make validate` runs all, and `make docs` then shows its report."
    if target.is_file() and key.is_file() and key.read_text() == package_digest():
        return text
    command = [sys.executable, "-W", "ignore", "-c", "from contactlib.cli.main import app; app()"]
    done = subprocess.run([*command, "validate", "--fast", "-o", str(target)], cwd=ROOT, capture_output=True, text=True)
    if not target.is_file():
        raise RuntimeError(f"contactlib validate ended with exit code {done.returncode}:\n{done.stdout}{done.stderr}")
    key.write_text(package_digest())
    return text


def validation_page(origin: str) -> str:
    """The page with a link to the report and a list of all cases."""
    rows = [(f"[{name}](validation_data/{name}/README.md)", str(case["title"]), str(case["kind"]), str(case["source"]))
            for name, case in cases().items()]
    return "\n".join([
        "# Validation report\n",
        f"<a href=\"{REPORT}\">Open the report</a>: tables and plots of all comparisons. {origin}",
        "[Validation](docs/validation.md) says which kinds of truth there are, what is validated by what, and what is",
        "not.\n", f"## {len(rows)} cases\n",
        "Each case has a page: what it is, its source, how its numbers were made, its tolerances.\n",
        table(("case", "title", "kind of truth", "source"), rows),
        "```{toctree}", ":hidden:\n", "docs/validation", "docs/credibility", "docs/peers", "```\n",
        "```{toctree}", ":hidden:", ":glob:", ":caption: Cases\n", "validation_data/*/README", "```\n"])


def benchmark_names() -> list[str]:
    """The benchmarks of `make bench`."""
    found = re.search(r"^BENCHMARKS = (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1].split() if found else []


def benchmark_page(folder: Path) -> str:
    """The page with a table for each benchmark."""
    parts = ["# Benchmarks\n",
             "`make bench` measures these figures and writes them to `out/benchmarks/`; `make docs` then shows them.",
             "[How they are measured](benchmarks/README.md). The bar is the value that a figure must reach.\n"]
    for name in benchmark_names():
        parts += [f"## {name}\n", f"`python -m benchmarks.{name}`\n", benchmark(name, folder / f"{name}.json")]
    return "\n".join([*parts, "```{toctree}", ":hidden:\n", "How they are measured <benchmarks/README>", "```\n"])


def benchmark(name: str, path: Path) -> str:
    """The figures of one benchmark, or how to measure them."""
    if not path.is_file():
        return f"Not measured on this machine: `python -m benchmarks.{name} --json out/benchmarks/{name}.json`.\n"
    content = json.loads(path.read_text(encoding="utf-8"))
    bars = {bar.key: bar for bar in getattr(importlib.import_module(f"benchmarks.{name}"), "BARS", ())}
    rows = []
    for key, value in content["figures"].items():
        bar = bars.get(key)
        limit = "" if bar is None else f"{'at least' if bar.at_least else 'at most'} {bar.bar:g}"
        rows.append((f"`{key}`", limit, number(value), "" if bar is None else bar.verdict(value)))
    extras = [(key, number(value)) for key, value in content["extras"].items()]
    machine = ", ".join(f"{key}: {value}" for key, value in content["machine"].items())
    versions = ", ".join(f"{key} {value}" for key, value in content["versions"].items())
    text = table(("key", "bar", "measured", ""), rows)
    if extras:
        text += f"\n<details>\n<summary>Beside these</summary>\n\n{table(('what', 'measured'), extras)}\n</details>\n"
    return f"{text}\nMachine: {machine}. Versions: {versions}.\n"


def number(value: object) -> str:
    """A number with four digits, or the text that stands for it."""
    return f"{value:.4g}" if isinstance(value, int | float) else str(value)
