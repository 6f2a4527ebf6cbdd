"""Tests of the package that is an FMU: contents, checks, cases with references."""
