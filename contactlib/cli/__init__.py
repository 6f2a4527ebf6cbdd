"""The command line, one file for a group of commands."""
