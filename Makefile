# one venv, one editable install, made again only when something that is compiled has changed.

PYTHON ?= python3
VENV ?= .venv
BLENDER ?= .venv-blender
BIN = $(VENV)/bin
CPP = $(shell find contactlib/core fmu -name '*.[ch]pp')
CYTHON = $(wildcard contactlib/_core/*.p[xy][dx])
BENCHMARKS = peg_in_hole narrow_phase surface mesh_patches trampoline lee cbm coupling vector_worlds many_bodies calls
# print tables of docs/, which have no bars
TABLES = energy_error coupling_map contact_models results
SCENES = $(patsubst contactlib/scenes/%/scene.toml,%,$(wildcard contactlib/scenes/*/scene.toml))

# the version that `make bench-before` compares with, and its checkout
BEFORE = 2cb76c5fac69b9875b64516a189c88563d00aaa1
OLDER = build/before/$(BEFORE)

# the newest bpy for Python 3.11
BPY = 5.0.1

# of pyproject.toml: all that the targets of this file install
EXTRAS = plot import campaign test dev platforms wheels

.PHONY: help install blender viewer demo test fmus wheels reproducible lint bench bench-before instructions soak golden platforms validate mutations docs linkcheck lock clean tools

help:
	@echo "make demo    docks four pins into their holes, through the FMU; writes out/peg_in_hole/"
	@echo "make test    the demo, then all tests"
	@echo "make fmus    writes the FMUs of all shipped scenes to fmu/dist/"
	@echo "make viewer  bundles the page of contactlib view with three.js and uPlot; needs npm's registry"
	@echo "make wheels  writes wheels for Linux on x86_64 and aarch64 to dist/, with the FMU binaries of all platforms"
	@echo "make reproducible  builds the wheels twice, in two folders, and compares their bytes"
	@echo "make lint    ruff, mypy, cython-lint, clang-format, cython's performance hints"
	@echo "make bench   the benchmarks, into out/benchmarks/"
	@echo "make bench-before  builds an older version under build/before/ and times it and this one in turns"
	@echo "make instructions  counts the instructions of all kernels under valgrind and compares (docs/instructions.md)"
	@echo "make soak    the random tests at length"
	@echo "make golden  compares all scenes and pairs with their recorded hashes, bit for bit"
	@echo "make platforms  compares the hashes of all scenes over compilers, processors and systems (docs/platforms.md)"
	@echo "make validate  all validation cases, in Python and through FMUs; reports in out/ (docs/validation.md)"
	@echo "make mutations  breaks a copy of the core on purpose and shows that the validation cases see it"
	@echo "make docs    the website of the documentation, with executed examples, into out/docs/html/; runs all code blocks"
	@echo "make blender    an environment with Blender as the module bpy (0.8 GB), for tests/blender and contactlib blender"
	@echo "make linkcheck  follows the links of the website to other servers; needs a network"
	@echo "make lock    writes .ci/lock.txt and .ci/lock_docs.txt again: the newest allowed versions of all tools, and their hashes"
	@echo "make clean   removes all that was built, and the venv"

demo: install
	$(BIN)/python examples/peg_in_hole.py

# on all cores
test: demo viewer
	$(BIN)/python -m pytest --numprocesses logical --dist worksteal

fmus: install
	@mkdir -p fmu/dist
	@for scene in $(SCENES); do $(BIN)/contactlib fmu export $$scene -o fmu/dist/$$scene.fmu || exit 1; done

# the page of `contactlib view`: of its own sources, three.js and uPlot. nothing is done if it is current
viewer: install
	$(BIN)/python contactlib/view/bundle.py

wheels: install viewer
	$(BIN)/python .ci/wheels --output dist

# all FMU binaries are in the wheels
reproducible: wheels
	$(BIN)/python .ci/wheels/reproduce.py dist

# mypy reads the package as it is when installed, with fmu/ in its place
lint: install
	$(BIN)/ruff check .
	@rm -rf build/typed && mkdir -p build/typed/contactlib
	@ln -s $(CURDIR)/contactlib/* $(CURDIR)/fmu build/typed/contactlib/
	cd build/typed && $(abspath $(BIN))/mypy --config-file $(CURDIR)/pyproject.toml -p contactlib
	cd .ci/wheels && MYPYPATH=$(CURDIR)/build/typed $(abspath $(BIN))/mypy --config-file $(CURDIR)/pyproject.toml *.py
	PATH="$(abspath $(BIN)):$$PATH" cython-lint $(CYTHON)
	$(BIN)/clang-format --dry-run --Werror $(CPP) tests/*/*.cpp benchmarks/*.cpp
	$(BIN)/cython --cplus contactlib/_core/engine.pyx -o build/hints.cpp 2>&1 | tee build/hints.txt
	@! grep -q 'performance hint' build/hints.txt || { echo "cython gives performance hints" >&2; exit 1; }

bench: install
	@mkdir -p out/benchmarks
	@for name in $(BENCHMARKS); do \
	    $(BIN)/python -m benchmarks.$$name --json out/benchmarks/$$name.json || exit 1; \
	done
	@for name in $(TABLES); do \
	    $(BIN)/python -m benchmarks.$$name > out/benchmarks/$$name.txt || exit 1; cat out/benchmarks/$$name.txt; \
	done
	@$(BIN)/python -m docs.draw_view --measure || echo "docs/view.md: not measured without Chromium"
	@$(BIN)/python -m benchmarks.blender_round_trip || echo "docs/blender.md: not measured without Blender"

# with the venv of the older version, which takes minutes once
bench-before: install $(OLDER)/.venv/installed
	@mkdir -p out/benchmarks
	$(BIN)/python -m benchmarks.vs_before --json out/benchmarks/vs_before.json

$(OLDER)/.venv/installed:
	@git cat-file -e $(BEFORE) || { echo "commit $(BEFORE) is missing: git fetch --unshallow" >&2; exit 1; }
	@mkdir -p $(OLDER)
	git archive $(BEFORE) | tar -x -C $(OLDER)
	cd $(OLDER) && make VENV=.venv install

# a change of more than 2 % must be recorded with its reason
instructions: install
	$(BIN)/python -m benchmarks.instructions --check

# 100000 poses per contact region against the oracle, and of every pair of surfaces round closed paths, ten million steps
# over hills with all contacts compared, ten million with their energy, 96 closed loops over terrain, 100000 poses of each
# solid on convex meshes against bare geometry, fifty times the usual number of damaged files, a million arguments of each
# elementary function, 540 calibrations to series with noise, a million steps of an FMU with flat memory, and a million
# steps of all shipped scenes with and without cached candidates
soak: install
	$(BIN)/python -m pytest tests/geometry/test_manifolds.py tests/mesh/test_mesh_pairs.py --poses 100000
	CONTACTLIB_SOAK=30 $(BIN)/python -m pytest tests/surfaces
	CONTACTLIB_SOAK=500 $(BIN)/python -m pytest 'tests/mesh/test_terrain.py::test_no_contact_is_lost[ball]'
	CONTACTLIB_SOAK=34 $(BIN)/python -m pytest tests/mesh/test_terrain.py -k energy
	CONTACTLIB_SOAK=1400 $(BIN)/python -m pytest tests/mesh/test_mesh_truth_coverage.py -k test_convex_meshes
	CONTACTLIB_SOAK=40 $(BIN)/python -m pytest tests/mesh/test_mesh_truth_coverage.py -k 'not test_convex_meshes'
	CONTACTLIB_SOAK=50 $(BIN)/python -m pytest tests/model/test_model_fuzz.py tests/model/test_spec.py tests/pcm/test_pcm_fuzz.py \
	    tests/importers/test_importers_refusals.py
	CONTACTLIB_SOAK=1 $(BIN)/python -m pytest tests/mesh/test_mesh_truth_slides.py -k 'many_peaks or other_seeds'
	CONTACTLIB_SOAK=250 $(BIN)/python -m pytest tests/core/test_elementary.py
	CONTACTLIB_SOAK=100 $(BIN)/python -m pytest tests/platforms/test_lanes.py
	CONTACTLIB_SOAK=9 $(BIN)/python -m pytest tests/calibration/test_calibration_fit.py -k interval
	CONTACTLIB_SOAK=200 $(BIN)/python -m pytest tests/masters/test_fmu_processes.py -k memory
	CONTACTLIB_SOAK=530 $(BIN)/python -m pytest tests/step/test_cached_candidates.py -k shipped
	CONTACTLIB_SOAK=20 $(BIN)/python -m pytest tests/step/test_cached_candidates.py -k 'not shipped'

golden: install
	$(BIN)/python -m tests.support.golden

# a row for each host; those whose programs are missing say so
platforms: install
	$(BIN)/python -m tests.platforms

# the second run leaves out what no FMU can run
validate: install
	$(BIN)/contactlib validate --out out/validation.html --json out/validation.json
	$(BIN)/contactlib validate --fmu --out out/validation_fmu.html --json out/validation_fmu.json

mutations: install
	$(BIN)/python -m tests.validation.mutations

# all code blocks of the pages first; then the pages, the examples of the gallery, and Sphinx, whose warnings are errors
docs: $(VENV)/docs
	CONTACTLIB_BLOCKS=all $(BIN)/python -m pytest --quiet --numprocesses logical tests/repository/test_code_blocks.py
	$(BIN)/python -m docs.website

# bpy has its own NumPy, below 2, so it needs an environment of its own, with Python 3.11
blender: $(BLENDER)/installed

$(BLENDER)/installed: Makefile
	$(PYTHON) -m venv $(BLENDER)
	$(BLENDER)/bin/python -m pip install --quiet bpy==$(BPY)
	@touch $@

linkcheck: docs
	$(BIN)/python -m sphinx -q -b linkcheck -c docs out/docs/source out/docs/linkcheck

# the tools of the website, with versions that agree with those of the other tools
$(VENV)/docs: .ci/lock_docs.txt $(VENV)/installed
	$(BIN)/python -m pip install --quiet --require-hashes --requirement .ci/lock_docs.txt
	@touch $@

clean:
	rm -rf .venv build dist out fmu/dist fmu/binaries *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf contactlib/view/bundle
	rm -f contactlib/_core/*.so contactlib/_core/*.cpp
	find . -name __pycache__ -prune -exec rm -rf {} +

install: $(VENV)/installed

$(VENV)/installed: pyproject.toml setup.py contactlib/core/build.toml fmu/build.py $(CYTHON) $(CPP) | $(VENV)/locked
	$(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	@touch $@

# the same versions and bytes everywhere
$(VENV)/locked: .ci/lock.txt | tools
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement .ci/lock.txt
	@touch $@

lock: $(VENV)/locked
	$(BIN)/uv pip compile pyproject.toml $(EXTRAS:%=--extra %) --universal --python-version 3.11 --generate-hashes \
	    --upgrade --quiet --custom-compile-command "make lock" --output-file .ci/lock.txt
	$(BIN)/uv pip compile pyproject.toml --extra docs --constraint .ci/lock.txt --universal --python-version 3.11 \
	    --generate-hashes --upgrade --quiet --custom-compile-command "make lock" --output-file .ci/lock_docs.txt

# says what is missing before something fails for the lack of it
tools:
	@sh .ci/tools '$(PYTHON)' '$(CXX)'
