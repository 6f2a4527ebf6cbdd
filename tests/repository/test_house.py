"""Rules for the files of the repository: no edits of the import path, at most 25 files in a folder, helpers apart."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 25  # files in a folder
CHANGES = "append|extend|insert|remove|pop|clear|reverse|sort"
PATH_EDIT = re.compile(rf"sys\.path\.(?:{CHANGES})\b|sys\.path(?:\[[^]]*\])?\s*\+?=[^=]|syspath_prepend|addsitedir")


def files(*folders: str) -> list[str]:
    """The files that git tracks or would track: no build outputs."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders]
    try:
        found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no checkout of git")
    names = [name for name in found.splitlines() if (ROOT / name).exists()]
    if not names:
        pytest.skip("this is no checkout of git")
    return names


def crowded(*folders: str) -> dict[str, int]:
    """Folders with too many files, and how many these are."""
    count = Counter(name.rpartition("/")[0] for name in files(*folders))
    return {folder: n for folder, n in count.items() if n > MOST}


@pytest.mark.parametrize("folder", ["tests", "benchmarks", "examples"])
def test_no_file_edits_the_import_path(folder: str):
    scripts = [ROOT / name for name in files(folder) if name.endswith(".py") and ROOT / name != Path(__file__)]
    assert [path for path in scripts if PATH_EDIT.search(path.read_text(encoding="utf-8"))] == []


def test_no_folder_of_the_tests_is_crowded():
    assert crowded("tests") == {}


def test_no_folder_of_the_library_is_crowded():
    assert crowded("contactlib", "fmu") == {}


def test_no_two_files_of_the_tests_have_one_name():
    names = [name for name in files("tests") if name.endswith(".py")]
    count = Counter(name.rpartition("/")[2] for name in names)
    assert {name for name, n in count.items() if n > 1} <= {"__init__.py", "conftest.py"}


@pytest.mark.parametrize(("folder", "allowed"), [
    ("oracle", {"oracle"}), ("poses", {"poses", "oracle", "support"}), ("support", {"support", "poses", "oracle"})])
def test_shared_helpers_import_no_tests(folder: str, allowed: set[str]):
    for path in (ROOT / "tests" / folder).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else (
                [name.name for name in node.names] if isinstance(node, ast.Import) else [])
            assert {module.split(".")[1] for module in modules if module.startswith("tests.")} <= allowed, path


def test_the_picture_of_the_rooms_is_current_and_nothing_imports_in_a_circle():
    done = subprocess.run([sys.executable, "docs/draw_house.py", "--check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
