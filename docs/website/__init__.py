"""Builds the docs site: pages that are generated from scenes, examples and reports, and the call of Sphinx."""
