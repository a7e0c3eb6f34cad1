"""The demo: a k-means step, the kernel it becomes, its time beside NumPy and peers, a picture."""

from __future__ import annotations

import argparse
import struct
import sys
import time
import zlib
from pathlib import Path

import numpy as np

import quernel as qn

ROOT = Path(__file__).resolve().parents[1]
COLOURS = np.array([[214, 69, 65], [52, 101, 164]], dtype=float)


@qn.compile
def kmeans(X, means):
    """The index of the nearest mean for each row of `X`."""
    return np.argmin(np.linalg.norm(X - means[:, None], axis=2), axis=0)


def two_blobs(npts: int) -> tuple[np.ndarray, np.ndarray]:
    """Points around (5, 5) and (10, 10), `npts` each, and these two means."""
    X = np.repeat([[5, 5], [10, 10]], [npts, npts], axis=0) + np.random.randn(2 * npts, 2)
    return X, np.array([[5, 5], [10, 10]])


def race(X: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Run NumPy, Quernel and the installed peers; check their labels; print their times."""
    start = time.perf_counter()
    labels = kmeans(X, means)
    print(f"first call, compilation included: {(time.perf_counter() - start) * 1e3:.1f} ms\n")

    sys.path.insert(0, str(ROOT / "bench"))
    import peers
    from timing import interleaved

    calls = {"NumPy": lambda: kmeans.__wrapped__(X, means), "Quernel": lambda: kmeans(X, means)}
    calls |= peers.candidates("kmeans", X, means)
    for name, call in calls.items():
        if not np.array_equal(np.asarray(call()), labels):
            raise SystemExit(f"the labels of {name} differ from Quernel's")
    times = interleaved(calls, rounds=5)
    for name, seconds in times.items():
        ratio = times["NumPy"] / seconds
        print(f"  {name:14s} {seconds * 1e3:10.2f} ms   {ratio:7.1f}× NumPy")
    print("\nall labels are equal")
    return labels


def picture(X: np.ndarray, labels: np.ndarray, pixels: int = 640) -> np.ndarray:
    """How many points of each label fall on each pixel, as colours on white."""
    low, high = X.min(axis=0), X.max(axis=0)
    image = np.full((pixels, pixels, 3), 255.0)
    for label, colour in enumerate(COLOURS):
        points = X[labels == label]
        counts, _, _ = np.histogram2d(
            points[:, 1], points[:, 0], bins=pixels, range=[(low[1], high[1]), (low[0], high[0])]
        )
        ink = np.sqrt(counts / max(counts.max(), 1))[::-1, :, None]
        image += ink * (colour - image)
    return image.astype(np.uint8)


def write_png(path: Path, image: np.ndarray) -> None:
    """Write an `(h, w, 3)` array of uint8."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    height, width, _ = image.shape
    lines = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(lines.tobytes()))
        + chunk(b"IEND", b"")
    )


def main() -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=10_000_000, help="points in each blob")
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--output", type=Path, default=ROOT / "demo-output")
    arguments = parser.parse_args()

    np.random.seed(0)
    X, means = two_blobs(20_000 if arguments.small else arguments.points)
    print(kmeans.lower(X, means).text("cpp"))
    print(f"{X.shape[0]:,} points, {X.dtype}; means {means.dtype}")
    labels = race(X, means)
    path = arguments.output / "kmeans.png"
    write_png(path, picture(X, labels))
    print(f"the clusters: {path}")


if __name__ == "__main__":
    main()
