"""The kernel that the README shows is the one that its function becomes."""

import re
import subprocess
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[2] / "README.md"
SIGNATURE = ["--arg", "float64[2000000,2]", "--arg", "float64[4,2]"]


def block(language):
    return re.search(rf"```{language}\n(.*?)```", README.read_text(), re.DOTALL)[1]


def test_kernel(tmp_path):
    (tmp_path / "kmeans.py").write_text(block("python"))
    command = [sys.executable, "-c", "import sys, quernel.cli; sys.exit(quernel.cli.main())"]
    command += ["emit", "kmeans.py:kmeans", *SIGNATURE, "--target", "x86-64-v4"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert block("cpp") in done.stdout
