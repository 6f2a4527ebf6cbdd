"""Surface contacts: the energy of two faces, the motion that it gives, and its brute-force truth."""
