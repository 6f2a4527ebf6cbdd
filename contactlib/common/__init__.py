"""Reading and checking input: tables with their keys, arguments, choices, files."""
