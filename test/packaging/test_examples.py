"""Every example runs at its small size and checks itself against NumPy."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES.glob("*.py") if "__main__" in path.read_text())


def run(name, *arguments):
    return subprocess.run(
        [sys.executable, EXAMPLES / name, "--small", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )


@pytest.mark.parametrize("name", [name for name in SCRIPTS if name != "kmeans.py"])
def test_example_agrees_with_numpy(name):
    done = run(name)
    assert done.returncode == 0, done.stderr
    assert "Quernel" in done.stdout


def test_demo_prints_kernel_times_and_picture(tmp_path):
    done = run("kmeans.py", "--output", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "parallel_for(" in done.stdout
    assert "all labels are equal" in done.stdout
    picture = (tmp_path / "kmeans.png").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(picture) > 1000
