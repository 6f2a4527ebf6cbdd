"""Figures, sections, tables and HTML pages about scenes and runs."""
