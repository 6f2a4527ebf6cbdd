"""As lee_snare.py, with a power and data grapple fixture on 25 t: python examples/lee_snare_pdgf.py."""

from lee_snare import main

if __name__ == "__main__":
    main("lee_snare_pdgf")
