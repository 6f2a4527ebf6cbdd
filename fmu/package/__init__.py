"""What an FMU contains besides its variables: identifier, types and units, dependencies, documentation and icon."""
