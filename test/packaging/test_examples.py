"""Every example runs at its small size and checks itself against NumPy."""

import os
import re
import shlex
import shutil
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


def test_the_workflow_s_commands(tmp_path):
    project = shutil.copytree(EXAMPLES / "ci", tmp_path / "project")
    commands = re.findall(r"- run: (.*)", (project / "workflow.yml").read_text())
    assert len(commands) == 5
    bundle = re.search(r"QUERNEL_BUNDLE: (\S+)", (project / "workflow.yml").read_text())[1]
    folders = os.path.dirname(sys.executable), os.environ["PATH"]
    environment = {**os.environ, "PATH": os.pathsep.join(folders)}
    environment["QUERNEL_CACHE_DIR"] = str(tmp_path / "cache")

    def done(command, **more):
        return subprocess.run(
            shlex.split(command),
            cwd=project,
            env={**environment, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    # The lock is of one build of Quernel, so a project makes it; here it isn't there yet.
    assert done("quernel build --locked").returncode == 2
    assert done("quernel build -o first.qnb").returncode == 0
    for command in [c for c in commands if not c.startswith("pip ")]:
        more = {"QUERNEL_BUNDLE": bundle} if "pytest" in command else {}
        ran = done(command, **more)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "3 passed" in ran.stdout
    recorded = done("quernel record python -m pytest -q -p no:cacheprovider")
    assert "2 new signatures of 2 functions" in recorded.stdout, recorded.stdout + recorded.stderr
