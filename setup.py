"""What is compiled: one extension, and the binary that every FMU carries. All else is in pyproject.toml."""

import importlib.util
import os
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError, LinkError

ROOT = Path(__file__).parent
CORE = Path("contactlib/core")
BINDING = Path("contactlib/_core")
BUILD = tomllib.loads((ROOT / CORE / "build.toml").read_text())
PROBE = "#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n"


def load_fmu_build():
    """fmu/build.py by path: contactlib itself is not importable before it is built."""
    spec = importlib.util.spec_from_file_location("fmu_build", ROOT / "fmu" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def on_all_cores(compile_one):
    """As `compile_one` of distutils, which takes the sources one after the other."""

    def compile_all(sources, output_dir=None, *args, **options):
        for source in sources:  # the same folders are not to be made twice at a time
            Path(output_dir or ".", source).parent.mkdir(parents=True, exist_ok=True)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            parts = pool.map(lambda source: compile_one([source], output_dir, *args, **options), sources)
            return [made for part in parts for made in part]

    return compile_all


class Build(build_ext):
    """Adds OpenMP where a probe links with it, and builds the FMU binary after the extension."""

    def run(self):
        super().run()
        # an editable install keeps what is built beside the sources
        package = ROOT / "fmu" if self.inplace else Path(self.build_lib) / "contactlib" / "fmu"
        fmu_build.build(ROOT / CORE, package / "binaries")

    def build_extensions(self):
        if self.links("-fopenmp"):
            for extension in self.extensions:
                extension.extra_compile_args.append("-fopenmp")
                extension.extra_link_args.append("-fopenmp")
        self.compiler.compile = on_all_cores(self.compiler.compile)
        super().build_extensions()

    def links(self, flag):
        """The probe is compiled and linked, never run, so that cross-compiling works."""
        with tempfile.TemporaryDirectory() as folder:
            probe = Path(folder) / "probe.cpp"
            probe.write_text(PROBE)
            try:
                objects = self.compiler.compile([str(probe)], output_dir=folder, extra_postargs=[flag])
                self.compiler.link_executable(
                    objects, "probe", output_dir=folder, extra_postargs=[flag], target_lang="c++"
                )
            except (CompileError, LinkError):
                return False
            return True


fmu_build = load_fmu_build()
engine = Extension(
    "contactlib._core.engine",
    [str(BINDING / "engine.pyx"), *(str(CORE / source) for source in BUILD["sources"])],
    depends=[*map(str, CORE.rglob("*.hpp")), *map(str, BINDING.glob("*.p[xy][dx]"))],
    include_dirs=[str(CORE), numpy.get_include(), str(fmu_build.eigen_include())],
    define_macros=[(name, None) for name in BUILD["defines"]],
    extra_compile_args=[f"-std={BUILD['standard']}", *BUILD["flags"], "-g0", "-Wno-unused-function"],
    language="c++",
)
setup(ext_modules=[engine], cmdclass={"build_ext": Build})
