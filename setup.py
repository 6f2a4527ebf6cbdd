"""What is built: one extension, the binary that every FMU carries, the page of the viewer. All else: pyproject.toml."""

import importlib
import importlib.util
import shutil
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar

import numpy
from setuptools import Extension, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.errors import CompileError, LinkError

ROOT = Path(__file__).parent
CORE = Path("contactlib/core")
BINDING = Path("contactlib/_core")
BUILD = tomllib.loads((ROOT / CORE / "build.toml").read_text())
PROBE = "#include <omp.h>\nint main() { return omp_get_max_threads() < 1; }\n"


def load_bundle():
    """contactlib/view/bundle.py by path, which imports nothing of contactlib."""
    spec = importlib.util.spec_from_file_location("contactlib_bundle", ROOT / "contactlib/view/bundle.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def bundle_page():
    """Bundle the page of the viewer, unless the bundle is there. Without npm the package has none, and says so."""
    bundle = load_bundle()
    if not bundle.is_current():
        try:
            bundle.build()
        except RuntimeError as error:
            print(f"warning: `contactlib view` will not work: {error}", file=sys.stderr)


def load_fmu_build():
    """fmu/build.py by path, in a package: contactlib itself is not importable before it is built."""
    folder = ROOT / "fmu"
    spec = importlib.util.spec_from_file_location("contactlib_fmu", folder / "__init__.py",
                                                  submodule_search_locations=[str(folder)])
    sys.modules["contactlib_fmu"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["contactlib_fmu"])
    return importlib.import_module("contactlib_fmu.build")


class Build(build_ext):
    """Adds OpenMP where a probe links with it, and builds the FMU binary from the same core as the extension."""

    core_objects = None
    built = None

    def run(self):
        if self.built:
            # what lies in the working tree is of this machine
            shutil.rmtree(Path(self.build_lib) / "contactlib/fmu/binaries", ignore_errors=True)
            shutil.copytree(self.built, self.build_lib, dirs_exist_ok=True)
            return
        super().run()
        # an editable install keeps what is built beside the sources
        package = ROOT / "fmu" if self.inplace else Path(self.build_lib) / "contactlib" / "fmu"
        fmu_build.build(ROOT / CORE, package / "binaries", core_objects=self.core_objects)

    def build_extensions(self):
        if self.links("-fopenmp"):
            for extension in self.extensions:
                extension.extra_compile_args.append("-fopenmp")
                extension.extra_link_args.append("-fopenmp")
        self.compiler.compile = self.with_core(self.compiler.compile)
        super().build_extensions()

    def with_core(self, compile_binding):
        """As `compile` of distutils, but the core is compiled meanwhile, and is linked too."""

        def compile_both(*args, **options):
            # an editable install keeps the core's objects for the benchmarks
            folder = (ROOT / "build" if self.editable_mode else Path(self.build_temp)) / "core"
            with ThreadPoolExecutor(1) as pool:
                core = pool.submit(fmu_build.compile_core, ROOT / CORE, folder)
                binding = compile_binding(*args, **options)
                self.core_objects = core.result()
            return [*binding, *map(str, self.core_objects)]

        return compile_both

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


class Modules(build_py):
    """Bundles the page first. An editable install leaves that to `make viewer`."""

    def run(self):
        if not self.editable_mode:
            bundle_page()
            self.__dict__.pop("data_files", None)  # found again, with the bundle
        super().run()


class Source(sdist):
    """Bundles the page first, so that what is installed from a source package needs no node."""

    def run(self):
        bundle_page()
        super().run()


class Wheel(bdist_wheel):
    """Can also make a wheel of files that zig has compiled for Linux on another machine (.ci/wheels)."""

    user_options: ClassVar = [*bdist_wheel.user_options,
                              ("processor=", None, "processor of a wheel for glibc 2.17"),
                              ("built=", None, "folder with all that is compiled in that wheel")]

    def initialize_options(self):
        super().initialize_options()
        self.processor = self.built = None

    def finalize_options(self):
        if self.built:
            # nothing is written into the sources, and nothing that lies there from other builds is packed
            scratch = Path(f"{self.built}.build")
            scratch.mkdir(exist_ok=True)
            self.distribution.get_command_obj("build").build_base = str(scratch)
            self.distribution.get_command_obj("egg_info").egg_base = str(scratch)
            self.distribution.get_command_obj("build_ext").built = self.built
        super().finalize_options()

    def get_tag(self):
        if self.processor:
            return "cp311", "abi3", f"manylinux_2_17_{self.processor}.manylinux2014_{self.processor}"
        return super().get_tag()


fmu_build = load_fmu_build()
engine = Extension(
    "contactlib._core.engine",
    [str(BINDING / "engine.pyx")],
    depends=[*map(str, CORE.rglob("*.[ch]pp")), str(CORE / "build.toml"), *map(str, BINDING.glob("*.p[xy][dx]"))],
    include_dirs=[str(CORE), numpy.get_include(), str(fmu_build.eigen_include())],
    define_macros=[(name, None) for name in BUILD["defines"]],
    extra_compile_args=[f"-std={BUILD['standard']}", *BUILD["flags"], "-g0", "-Wno-unused-function"],
    language="c++",
)
setup(ext_modules=[engine], cmdclass={"build_ext": Build, "build_py": Modules, "sdist": Source, "bdist_wheel": Wheel})
