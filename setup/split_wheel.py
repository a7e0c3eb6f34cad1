#!/usr/bin/env python3
"""Split a wheel in two: `quernel`, which runs programs, and `quernel-compiler`, which makes them.

Both are of one build, so what the compiler puts into a bundle the runtime alone finds there.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

# The compiler itself, and what captures programs for it.
_COMPILER = (
    "quernel/_compiler.",
    "quernel/capture/",
    "quernel/export/",
    "quernel/include/",
    "quernel/lib/exported/",
    "quernel/numpy/",
    "quernel/primitives/",
    "quernel/traced/",
    "quernel.libs/",  # what auditwheel has put in of the compiler's own libraries
)
_METADATA = """Metadata-Version: 2.1
Name: quernel-compiler
Version: {version}
Summary: Compiles the programs that quernel runs
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.10
Requires-Dist: quernel =={version}
"""


def main(wheel: str, folder: str) -> int:
    """Write both wheels into a folder, and print their sizes."""
    path, into = Path(wheel), Path(folder)
    name, version, tags = path.stem.split("-", 2)
    into.mkdir(parents=True, exist_ok=True)
    for old in into.glob("quernel*.whl"):
        old.unlink()
    with zipfile.ZipFile(path) as archive:
        members = {item.filename: archive.read(item) for item in archive.infolist()}
    info = f"{name}-{version}.dist-info"
    own = {k: v for k, v in members.items() if k.startswith(_COMPILER)}
    rest = {k: v for k, v in members.items() if k not in own and k != f"{info}/RECORD"}
    if not any(name.startswith(_COMPILER[0]) for name in own):
        raise SystemExit(f"{wheel} has no compiler")
    other = f"quernel_compiler-{version}.dist-info"
    own[f"{other}/WHEEL"] = rest[f"{info}/WHEEL"]
    own[f"{other}/METADATA"] = _METADATA.format(version=version).encode()
    own |= {f"{other}/licenses/LICENSE": rest[f"{info}/licenses/LICENSE"]}
    for made, content, record in (
        (into / f"{name}-{version}-{tags}.whl", rest, info),
        (into / f"quernel_compiler-{version}-{tags}.whl", own, other),
    ):
        _write(made, content, f"{record}/RECORD")
        print(f"{made}: {made.stat().st_size / 1e6:.2f} MB")
    return 0


def _write(path: Path, members: dict[str, bytes], record: str) -> None:
    lines = [f"{name},{_digest(data)},{len(data)}" for name, data in sorted(members.items())]
    members[record] = "\n".join([*lines, f"{record},,", ""]).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in sorted(members.items()):
            item = zipfile.ZipInfo(name)  # of no date, so that equal contents are equal wheels
            item.compress_type = zipfile.ZIP_DEFLATED
            item.external_attr = (0o755 if ".so" in name else 0o644) << 16
            archive.writestr(item, data, compresslevel=9)  # which an item has by itself


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest}"


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
