"""The generated pages of the docs site: each scene with all that it has, each example, each public name, each page."""

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest

import contactlib
from docs.website import api_pages, gallery, reports, scene_pages
from docs.website.check import problems
from docs.website.fields import texts
from docs.website.staging import OWN, PAGES, ROOT, Stage, linked_files
from docs.website.tables import moved_links, table

NAMES = scene_pages.names()


@pytest.mark.parametrize("name", NAMES)
def test_the_page_of_a_scene_has_all_that_the_scene_has(name: str):
    spec = contactlib.load(name)
    model = spec.compile()
    text = scene_pages.page(spec, model)
    assert text.startswith(f"# {name}\n") and f"contactlib run {name}" in text
    for body in spec.rigid_bodies:
        assert f"| `{body.name}` | {body.motion} |" in text
        assert all(shape.shape.kind in text for shape in body.shapes)
    assert all(f"**{law.name}**" in text for law in spec.laws)
    assert all(f"| `{element.name}` | {element.kind} |" in text for element in spec.elements)
    shown = set(re.findall(r"^\| `([\w.]+)(?:\[1\.\.\d+\])?` \|", text, re.MULTILINE))
    wanted = {variable.name.partition("[")[0] for variable in model.variables}
    assert wanted <= shown


def test_the_number_of_shapes_and_pairs_is_that_of_the_scene():
    spec = contactlib.load("peg_in_hole")
    text = scene_pages.page(spec, spec.compile())
    assert "| capsule-socket | 16 |" in text  # four pins, four holes
    assert "`pin_1`" in text and "radius 0.0173 m" in text
    assert text.count("[peg_in_hole](../validation_data/peg_in_hole/README.md)") == 1


def test_the_pages_of_scenes_are_listed():
    index = scene_pages.index({name: contactlib.load(name) for name in NAMES})
    assert len(NAMES) >= 19 and all(f'href="{name}.html"' in index and f"\n{name}\n" in index for name in NAMES)


def test_the_gallery_has_every_example():
    programs = set(gallery.programs())
    files = {path.stem for path in (ROOT / "examples").glob("*.py")}
    assert programs | set(gallery.MODULES) == files and set(gallery.ENTRIES) <= programs
    tiles = {name: gallery.tile(name, None, []) for name in gallery.programs()}
    index = gallery.index(tiles)
    for name in programs:
        assert f'href="{name}.html"' in index and gallery.headline(name) in index.replace("&#x27;", "'")
        assert gallery.reason(name) == "" or f"- `{name}`: {gallery.reason(name)}." in index
        assert f"## Source: `examples/{name}.py`" in gallery.page(name, None, [])


def test_an_example_without_its_package_is_left_out_and_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(gallery.ENTRIES, "tripod", gallery.Entry(needs=("no_such_package",)))
    assert gallery.reason("tripod") == "no_such_package is not installed"
    assert "is not run when the site is built: no_such_package is not installed." in gallery.page("tripod", None, [])


@pytest.mark.parametrize("name", gallery.programs())
def test_the_gallery_knows_the_simulators_that_an_example_imports(name: str):
    text = "".join(path.read_text(encoding="utf-8") for path in gallery.imported(gallery.EXAMPLES / f"{name}.py"))
    wanted = {package for package in ("mujoco", "Basilisk", "pydrake")
              if re.search(rf"^(?:import|from) {package}\b", text, re.MULTILINE)}
    assert wanted == set(gallery.ENTRIES.get(name, gallery.Entry()).needs)


@pytest.mark.parametrize("name", gallery.MODULES)
def test_a_module_of_the_examples_is_used_by_one(name: str):
    users = [program for program in gallery.programs()
             if gallery.EXAMPLES / f"{name}.py" in gallery.imported(gallery.EXAMPLES / f"{program}.py")]
    assert users


def test_an_example_is_run_again_only_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "small.py").write_text("print('one')\n", encoding="utf-8")
    monkeypatch.setattr(gallery, "EXAMPLES", tmp_path)
    monkeypatch.setattr(gallery, "package_digest", lambda: "fixed")
    folder = tmp_path / "cache"
    first = gallery.execute("small", folder)
    stamp = (folder / "run.json").stat().st_mtime_ns
    assert first is not None and first.text == "one\n"
    assert gallery.execute("small", folder) == first and (folder / "run.json").stat().st_mtime_ns == stamp
    (tmp_path / "small.py").write_text("print('two')\n", encoding="utf-8")
    kept, new = gallery.execute("small", folder, run=False), gallery.execute("small", folder)
    assert kept is not None and kept.text == "one\n" and new is not None and new.text == "two\n"


def test_an_example_that_fails_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "broken.py").write_text("raise SystemExit('no')\n", encoding="utf-8")
    monkeypatch.setattr(gallery, "EXAMPLES", tmp_path)
    with pytest.raises(RuntimeError, match=r"examples/broken.py ended with exit code 1:\nno"):
        gallery.execute("broken", tmp_path / "cache")


def test_every_public_name_has_its_page():
    assert api_pages.listed() == set(contactlib.__all__)


#: fields of the classes of a scene that are keys
LEAST = {"Spec": 14, "Body": 8, "Group": 12, "BodyShape": 5, "Law": 8, "Pair": 3}


def test_the_fields_of_the_classes_of_a_scene_have_a_text():
    """They get it from docs/scenes.md."""
    for name, least in LEAST.items():
        of = getattr(contactlib.model.parts, name, contactlib.Spec)
        assert len(texts(of)) >= least, name
    for of in api_pages.element_classes():
        assert texts(of) or of.__name__ == "FixedJoint", of  # whose section has a sentence in place of a table
    assert texts(contactlib.Spec)["gravity"] == "acceleration of free bodies by gravity, world axes (m/s2)"


def test_benchmarks_without_results_say_how_to_get_them(tmp_path: Path):
    page = reports.benchmark_page(tmp_path)
    assert all(f"`python -m benchmarks.{name} --json out/benchmarks/{name}.json`" in page
               for name in reports.benchmark_names())
    assert len(reports.benchmark_names()) >= 8


def test_the_figures_of_a_benchmark(tmp_path: Path):
    content = {"figures": {"cbm_step_us": 60.123, "cbm_realtime_factor": "missing"}, "extras": {"other": 1.0},
               "machine": {"processor": "p"}, "versions": {"numpy": "2"}}
    (tmp_path / "cbm.json").write_text(json.dumps(content), encoding="utf-8")
    text = reports.benchmark("cbm", tmp_path / "cbm.json")
    assert "| `cbm_step_us` | at most 100 | 60.12 | ok |" in text and "| missing |" in text and "numpy 2" in text


def test_every_page_is_in_a_table_of_contents():
    text = "\n".join(path.read_text(encoding="utf-8") for path in OWN.glob("*.md"))
    text += reports.validation_page("") + reports.benchmark_page(ROOT / "nowhere")
    entries = set(re.findall(r"^(?:[^\n<]*<)?([\w/]+)>?$", text, re.MULTILINE))
    for path in (ROOT / "docs").glob("*.md"):
        assert f"docs/{path.stem}" in entries, path.name


def test_pages_keep_their_paths_and_bring_what_they_link(tmp_path: Path):
    stage = Stage(tmp_path)
    stage.copy_pages()
    for pattern in PAGES:
        for path in ROOT.glob(pattern):
            copied = tmp_path / path.relative_to(ROOT)
            assert copied.read_bytes() == path.read_bytes()
            assert all((tmp_path / target.relative_to(ROOT)).is_file() for target in linked_files(path))
    (tmp_path / "old.md").write_text("old", encoding="utf-8")
    stage.remove_old()
    assert not (tmp_path / "old.md").exists() and (tmp_path / "README.md").exists()


def test_the_check_of_the_finished_site_sees_what_is_missing(tmp_path: Path):
    (tmp_path / "a.html").write_text('<h1 id="x">A</h1><a href="b.html#y">b</a><a href="#x">x</a><a href="https://e">e</a>'
                                     '<img src="no.png"><script src="https://e/s.js"></script>', encoding="utf-8")
    (tmp_path / "b.html").write_text('<a href="a.html#x">a</a><a href="c.html">c</a>', encoding="utf-8")
    (tmp_path / "s.css").write_text("@import url(https://fonts)", encoding="utf-8")
    assert sorted(problems(tmp_path)) == [
        "a.html loads https://e/s.js", "a.html: b.html#y has no such anchor", "a.html: no.png does not exist",
        "b.html: c.html does not exist", "s.css loads a file of another server"]


def test_links_move_with_their_text():
    text = "[a](../../x.md#b) [c](https://d) [e](#f) [g](h.md)"
    assert moved_links(text, "a/b/c.md", "s/n.md") == "[a](../x.md#b) [c](https://d) [e](#f) [g](../a/b/h.md)"
    assert table(("a",), []) == "None.\n" and table(("a",), [("x|y",)]).endswith("| x\\|y |\n")


def test_the_site_needs_no_network():
    """No page and no style names a file of another server; conf.py uses no extension that loads one."""
    for path in [*OWN.glob("*.md"), *(ROOT / "docs" / "website" / "static").iterdir(), ROOT / "docs" / "conf.py"]:
        assert not re.search(r"https?://|//cdn|mathjax", path.read_text(encoding="utf-8")), path
    extensions = next(ast.literal_eval(node.value) for node in ast.parse((ROOT / "docs" / "conf.py").read_text()).body
                      if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "extensions")
    assert not {"sphinx.ext.mathjax", "sphinx.ext.intersphinx"} & set(extensions)


def test_the_lock_file_has_the_tools_of_the_site_and_agrees_with_that_of_the_checks():
    """Each requirement of the extra `docs`, and no version that `.ci/lock.txt` would change in the same environment."""
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    docs, checks = (versions(ROOT / ".ci" / name) for name in ("lock_docs.txt", "lock.txt"))
    assert {re.split("[><=]", text)[0] for text in wanted["docs"]} <= set(docs)
    assert {name: found for name, found in docs.items() if not found & checks.get(name, found)} == {}


def versions(path: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", path.read_text(encoding="utf-8"), re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found
