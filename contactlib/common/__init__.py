"""Reads and checks input: tables with keys, arguments, choices, files."""
