"""The benchmark harness, on small sizes."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

RUN = Path(__file__).parents[2] / "bench" / "run.py"
DRAWABLE = importlib.util.find_spec("matplotlib") is not None


def run(folder: Path, *options: str) -> tuple[int, str, dict[str, Any]]:
    """Exit status, what was printed, and what was kept; packages in the folder are found first."""
    kept = folder / "kept" / "kept.json"
    places = [str(folder), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, str(RUN), "--quick", "--rounds=1", "--runs=1", "--json", str(kept)]
    done = subprocess.run(
        [*command, *options],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places))},
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    data = json.loads(kept.read_text()) if kept.exists() else {}
    return done.returncode, done.stdout + done.stderr, data


def test_what_is_printed_and_kept(tmp_path: Path) -> None:
    names = ["multiply-add", "softmax-512"]
    only = ",".join([*names, "import"])
    status, said, kept = run(tmp_path, "--frameworks", "quernel", "--only", only)
    assert status == 0, said
    assert [row["name"] for row in kept["rows"]] == names
    for row in kept["rows"]:
        assert set(row["times"]) == set(row["ratios"]) == set(row["shares"]) == {"NumPy", "Quernel"}
        assert row["ratios"]["NumPy"] == 1 and row["missing"] == {}
        assert row["limit"] > 0 and row["limited by"] in ("copy", "product")
        assert all(0 < share < 1000 for share in row["shares"].values())
    added, normed = kept["rows"]
    assert (added["moved"], added["operations"], added["precision"]) == (512, 32, "float64")
    assert normed["moved"] == 2 * 4 * 64 * 512 and normed["precision"] == "float32"
    assert set(kept["limits"]) == {"copy", "product float32", "product float64"}
    assert all(limit > 0 for limit in kept["limits"].values())
    assert kept["geometric means"]["Quernel"]["rows"] == 2
    assert kept["once"][0]["values"]["Quernel"] > 0
    assert {"machine", "versions", "settings"} < set(kept)
    assert "softmax of rows, 64×512 float32" in said and "Quernel's share" in said


def test_why_a_peer_is_missing(tmp_path: Path) -> None:
    (tmp_path / "numexpr.py").write_text("def evaluate(text, local_dict): return local_dict['a']")
    status, said, kept = run(tmp_path, "--frameworks", "numexpr", "--only", "multiply-add,sort")
    assert status == 0, said
    added, sorted_ = (row["missing"]["numexpr"] for row in kept["rows"])
    assert "other values than NumPy's" in added
    assert "isn't one elementwise expression" in sorted_
    assert all(set(row["times"]) == {"NumPy"} for row in kept["rows"])


def test_wrong_usage(tmp_path: Path) -> None:
    status, said, _ = run(tmp_path, "--only", "softmax-513")
    assert status == 1 and "no row is called 'softmax-513'; there are kmeans," in said
    assert "'0' is no number of times" in run(tmp_path, "--rounds", "0")[1]
    status, said, _ = run(tmp_path, "--frameworks", "fortran")
    assert status == 1 and "no framework is called 'fortran'; there are quernel," in said


@pytest.mark.skipif(DRAWABLE, reason="matplotlib is installed")
def test_no_picture_without_matplotlib(tmp_path: Path) -> None:
    status, said, kept = run(tmp_path, "--only", "multiply-add", "--picture", "bars.svg")
    assert status == 1 and not kept
    assert "--picture needs matplotlib" in said and "make bench-peers" in said


@pytest.mark.skipif(not DRAWABLE, reason="matplotlib isn't installed")
def test_picture(tmp_path: Path) -> None:
    options = ("--frameworks", "quernel", "--only", "multiply-add", "--picture", "bars.svg")
    status, said, _ = run(tmp_path, *options)
    assert status == 0, said
    assert (tmp_path / "bars.svg").stat().st_size > 1000
