"""What an example ends with: 0 where its validation case is met, 1 where it is not."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(("factor", "code"), [("1.0", 0), ("1.5", 1), ("float('nan')", 1)])
def test_an_example_whose_case_is_not_met_fails(factor, code):
    """The tripod's measured values, as they are and spoilt."""
    program = ("import tripod, validation; measured = tripod.run(); "
               f"validation.conclude('tripod', {{name: {factor} * value + ({factor} - 1.0) for name, value in "
               "measured.items()})")
    done = subprocess.run([sys.executable, "-c", program], cwd=EXAMPLES, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert ("NOT MET" in done.stdout) == (code == 1)
    assert ("the validation case is not met: " in done.stderr) == (code == 1)


def test_every_example_with_a_case_concludes_with_it():
    """None prints the table and goes on."""
    assert [path.name for path in sorted(EXAMPLES.glob("*.py")) if 'print(report("' in path.read_text()] == []
