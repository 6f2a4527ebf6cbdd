"""The .pcm reader under atheris, which searches for inputs that reach new code; not part of the tests.

    pip install atheris
    python -m tests.pcm.fuzz_pcm -max_total_time=600 -max_len=4096 /tmp/corpus tests/pcm/good tests/pcm/bad

Every file must be read or refused as tests/pcm/test_pcm_fuzz.py has it; a crash file is left where it runs.
"""

import sys

import atheris

with atheris.instrument_imports(include=["contactlib.pcm", "contactlib.common.tables"]):
    from contactlib import pcm  # noqa: F401
from tests.pcm.test_pcm_fuzz import read

if __name__ == "__main__":
    atheris.Setup(sys.argv, lambda content: read(bytes(content)) and None)
    atheris.Fuzz()
