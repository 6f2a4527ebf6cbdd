"""Checks of FMUs: what is wrong with the file, and whether a run gives the results of a reference."""
