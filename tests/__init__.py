"""Tests, one folder per subject. A folder holds its own helpers; `support` holds shared helpers.

Imports name the folder, as in `from tests.support.scenes import body`. Programs run from the root of
the repository, as in `python -m tests.support.golden`.
"""
