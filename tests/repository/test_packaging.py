"""What is installed and what is shipped, and that OpenMP is found by linking alone."""

import ast
import doctest
import importlib.metadata
import os
import pkgutil
import shutil
import stat
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import contactlib
from contactlib._core import engine
from contactlib.fmu import export

ROOT = Path(__file__).parents[2]
PACKAGE = Path(contactlib.__file__).parent
NEEDS_BPY = "contactlib.blender.extension.inside."  # these modules run in Blender only: tests/blender
MODULES = sorted({"contactlib", *(
    module.name for path, prefix in ((PACKAGE, "contactlib."), (export.BINARIES.parent, "contactlib.fmu."))
    for module in pkgutil.walk_packages([str(path)], prefix) if not module.name.startswith(NEEDS_BPY)
)})
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="there is no g++ here")


# ---- what is installed ---------------------------------------------------------------------------


def test_version():
    assert importlib.metadata.version("contactlib") == contactlib.__version__


def test_command():
    (script,) = importlib.metadata.entry_points(group="console_scripts", name="contactlib")
    assert script.value == "contactlib.cli.main:app" and callable(script.load())


def test_public_names():
    assert sorted(contactlib.__all__) == contactlib.__all__
    assert all(hasattr(contactlib, name) for name in contactlib.__all__)


def test_data_files():
    for name in ("py.typed", "_core/engine.pyi", "core/build.toml", "scenes/peg_in_hole/scene.toml"):
        assert (PACKAGE / name).is_file(), name
    assert [name for name, _ in export.binaries()]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    modules = [importlib.import_module(name) for name in MODULES]
    assert sum(bool(test.examples) for module in modules for test in finder.find(module)) > 10


def test_importing_takes_numpy_alone():
    """The heavy packages are imported where they are used."""
    heavy = {"matplotlib", "fmpy", "pythonfmu", "typer", "scipy", "pyarrow", "distributed", "contactlib.pcm",
             "contactlib.results"}
    script = f"import sys, contactlib; print(*{heavy} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == ""
    assert set(contactlib.__all__) <= set(dir(contactlib)) and all(getattr(contactlib, n) for n in contactlib.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        contactlib.__getattr__("nothing")


# ---- stubs ---------------------------------------------------------------------------------------


def public(names):
    return {name for name in names if not name.startswith("_")}


def stub_names(body):
    """Public names of a stub's module or class, without its aliases of types."""
    functions = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return public(functions | {node.target.id for node in body if isinstance(node, ast.AnnAssign)})


def test_stub_names():
    stub = ast.parse((PACKAGE / "_core" / "engine.pyi").read_text(encoding="utf-8")).body
    imported = {"np", "prange", "threadid"}
    assert stub_names(stub) == public(vars(engine)) - imported
    for node in stub:
        if isinstance(node, ast.ClassDef):
            assert stub_names(node.body) == public(vars(getattr(engine, node.name))), node.name


# ---- openmp --------------------------------------------------------------------------------------


def probe(compiler):
    """What setup.py's probe says of -fopenmp with a compiler."""
    script = """if True:
        import setuptools  # which brings distutils
        from distutils.ccompiler import new_compiler
        from distutils.core import run_setup
        from distutils.sysconfig import customize_compiler

        command = run_setup("setup.py", stop_after="init").get_command_obj("build_ext")
        command.compiler = new_compiler()
        customize_compiler(command.compiler)
        print(command.links("-fopenmp"))
    """
    environment = {**os.environ, "CXX": str(compiler), "CC": str(compiler)}
    found = subprocess.run([sys.executable, "-W", "ignore", "-c", script], cwd=ROOT, env=environment,
                           capture_output=True, text=True, check=True)
    return found.stdout.splitlines()[-1] == "True"


def wrapper(path, body):
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@needs_compiler
def test_openmp_is_used_where_it_links(tmp_path):
    assert probe("g++")
    unknown = 'case " $* " in *" -fopenmp "*) exit 1 ;; esac\nexec g++ "$@"'
    assert not probe(wrapper(tmp_path / "unknown", unknown))
    not_linked = 'case " $* " in *" -c "*) exec g++ "$@" ;; esac\nexit 1'
    assert not probe(wrapper(tmp_path / "not_linked", not_linked))


@needs_compiler
def test_the_probe_is_never_run(tmp_path):
    """Its executable is replaced by one that leaves a trace."""
    trace = tmp_path / "trace"
    body = f'''g++ "$@" || exit 1
case " $* " in *" -c "*) exit 0 ;; esac
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\ntouch {trace}\\n' > "$2"'''
    assert probe(wrapper(tmp_path / "cross", body))
    assert not trace.exists()


# ---- the source package --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def source_package(tmp_path_factory):
    """Names in the source package, built from a copy of the tree that also has build results lying about."""
    tree, out = tmp_path_factory.mktemp("tree") / "contactlib", tmp_path_factory.mktemp("sdist")
    # nor what other tests write meanwhile
    skipped = shutil.ignore_patterns(".git", ".venv*", "build", "dist", "out", "*.egg-info", ".*_cache", ".hypothesis",
                                     "__pycache__")
    shutil.copytree(ROOT, tree, ignore=skipped, symlinks=True)
    for litter in ("contactlib/_core/engine.cpp", "contactlib/_core/engine.so", "fmu/binaries/linux64/x.so",
                   "contactlib/__pycache__/spec.cpython-311.pyc", "tests/__pycache__/scenes.cpython-311.pyc"):
        (tree / litter).parent.mkdir(parents=True, exist_ok=True)
        (tree / litter).touch()
    script = f"import setuptools.build_meta as backend; backend.build_sdist({str(out)!r})"
    subprocess.run([sys.executable, "-c", script], cwd=tree, check=True, capture_output=True)
    (archive,) = out.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        return {name.partition("/")[2] for name in file.getnames()}


def test_source_package_has_all_that_the_build_and_the_tests_need(source_package):
    kinds = {".cpp", ".hpp", ".c", ".py", ".pyi", ".pyx", ".pxd", ".toml", ".md", ".csv"}
    folders = ("contactlib", "fmu", "tests", "examples", "benchmarks", "validation_data", "docs")
    files = [path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.*")]
    wanted = {str(file) for file in files if file.suffix in kinds} - {"contactlib/_core/engine.cpp"}
    assert len(wanted) > 80
    wanted |= {"setup.py", "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md",
               "SECURITY.md", "Makefile", ".ci/run", ".ci/lowest.py", ".ci/tools", ".ci/lock.txt", ".ci/lock_docs.txt",
               ".clang-format",
               ".ci/wheels/__main__.py",
               "contactlib/py.typed"}
    assert wanted - source_package == set()


def test_source_package_has_nothing_that_was_built(source_package):
    assert [name for name in source_package if name.endswith((".so", ".pyc", ".fmu"))] == []
    assert "contactlib/_core/engine.cpp" not in source_package
