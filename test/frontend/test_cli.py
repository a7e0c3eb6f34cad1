"""The command line: what it prints, and its exit status."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import quernel as qn
from quernel.cli import main

SOURCE = """
import numpy as np
import quernel as qn

@qn.compile
def kmeans(X, means):
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)

def scaled(x, a, mode="plain"):
    return x * a

def sorts(x):
    return np.polydiv(x, [1.0, 2.0])

number = 3
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "points.py"
    path.write_text(SOURCE)
    return str(path)


KMEANS = ["--arg", "float64[1000,2]", "--arg", "int64[2,2]"]


@pytest.mark.parametrize(
    ("stage", "text"),
    [
        ("cpp", "parallel_for("),
        ("quernel", "quernel."),
        ("kernels", "linalg.generic"),
        ("cuda", "__global__"),
    ],
)
def test_emit(program: str, capsys: pytest.CaptureFixture, stage: str, text: str) -> None:
    assert main(["emit", f"{program}:kmeans", *KMEANS, "--to", stage]) == 0
    assert text in capsys.readouterr().out


def test_emit_to_a_file(program: str, tmp_path: Path) -> None:
    output = tmp_path / "kmeans.cpp"
    assert (
        main(
            [
                "emit",
                f"{program}:scaled",
                "--arg",
                "float64[n]",
                "--arg",
                "float",
                "-o",
                str(output),
            ]
        )
        == 0
    )
    assert "scaled" in output.read_text()


def test_explain(program: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    page = tmp_path / "report.html"
    assert main(["explain", f"{program}:kmeans", *KMEANS, "--html", str(page)]) == 0
    assert "kmeans: 1 kernel" in capsys.readouterr().out
    assert "<h3>" in page.read_text()
    assert main(["explain", f"{program}:sorts", "--arg", "float64[9]"]) == 0
    assert "polydiv" in capsys.readouterr().out


def test_bench(program: str, capsys: pytest.CaptureFixture) -> None:
    assert main(["bench", f"{program}:scaled", "--arg", "float64[1000]", "--arg", "2.5"]) == 0
    assert "times as fast" in capsys.readouterr().out


def test_cache(program: str, capsys: pytest.CaptureFixture) -> None:
    qn.compile(lambda x: x + 1)(np.ones(3))
    for action in ("ls", "info", "verify", "prune", "clear"):
        assert main(["cache", action]) == 0
        assert capsys.readouterr().out
    assert main(["cache", "ls"]) == 0
    assert capsys.readouterr().out == ""


def test_doctor(capsys: pytest.CaptureFixture) -> None:
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    for part in ("processor", "threads", "compiler", "BLAS", "NVRTC", "cache"):
        assert part in out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["fly"],
        ["emit"],
        ["emit", "nowhere.py:f"],
        ["emit", "no colon"],
        ["emit", "{program}:missing"],
        ["emit", "{program}:number"],
        ["emit", "{program}:kmeans", "--arg", "quaternion[3]"],
        ["emit", "{program}:kmeans", "--to", "fortran"],
        ["emit", "{program}:kmeans", "--arg", "float64[9]"],
        ["bench", "{program}:kmeans", "--arg", "float64[9]"],
        ["build", "{program}:kmeans", "--sig", "float64[", "-o", "{bundle}"],
    ],
)
def test_wrong_usage(program: str, tmp_path: Path, arguments: list[str]) -> None:
    filled = [a.format(program=program, bundle=tmp_path / "b") for a in arguments]
    assert main(filled) == 2


def test_faults_of_the_program(program: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("raise RuntimeError('no')")
    assert main(["emit", f"{broken}:f"]) == 1
    assert "RuntimeError: no" in capsys.readouterr().err
    assert main(["emit", f"{program}:sorts", "--arg", "float64[9]"]) == 1
    assert "polydiv" in capsys.readouterr().err
