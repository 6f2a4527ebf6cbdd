"""Contact manifolds and rays of the solids."""
