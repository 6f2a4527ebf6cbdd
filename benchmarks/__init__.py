"""Benchmarks. Each runs from the root of the repository, as in `python -m benchmarks.peg_in_hole`."""
