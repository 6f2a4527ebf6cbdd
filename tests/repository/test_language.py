"""The words of the field: names that the library no longer uses, so that they do not come back."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("contactlib", "fmu", "benchmarks", "examples", "docs", "README.md", "CONTRIBUTING.md", "SECURITY.md")
#: private words, and the field's term for each
RETIRED = {
    "Meeting": "MaterialPair", "meetings": "material_pairs", "Hoop": "CircleEdge", "hoop": "circle_edge",
    "Spoke": "IncidentEdge", "spokes": "incident_edges", "Parting": "SeparatingAxis", "parting": "separating_axis",
    "Difference": "MinkowskiDifference", "Quad": "Bvh4Node", "quads": "bvh4_nodes",
    "Foreign": "UserLaws", "is_foreign": "is_user_law",
    "keep_looks": "keep_evaluation", "looked_at": "candidate_pairs", "make_room": "grow_capacity",
    "evaluate_with_room": "evaluate_and_grow", "foretell": "predict", "foretold": "predicted", "Anchor": "CableEnd",
    "looked at": "inspected", "stands still": "is fixed",
}


def sources() -> list[Path]:
    """The text files of the library and its pages that git tracks."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *FOLDERS]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    kinds = {".py", ".pyi", ".pyx", ".pxd", ".cpp", ".hpp", ".md", ".toml"}
    paths = [ROOT / name for name in found if Path(name).suffix in kinds and (ROOT / name).exists()]
    if not paths:
        pytest.skip("this is no checkout of git")
    return paths


@pytest.mark.parametrize("word", RETIRED)
def test_no_private_word(word: str):
    pattern = re.compile(rf"(?<!\w){word}(?!\w)")
    found = [str(path.relative_to(ROOT)) for path in sources() if pattern.search(path.read_text(encoding="utf-8"))]
    assert not found, f"{word}: use {RETIRED[word]}"
