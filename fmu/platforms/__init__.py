"""Builds the FMU binary for each platform. Modules here import one another relatively: setup.py loads them by path."""
