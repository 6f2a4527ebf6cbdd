"""The package as it ships, its documents and examples, and the rules of the repository."""
