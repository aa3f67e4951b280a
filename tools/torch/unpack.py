#!/usr/bin/env python3
"""Unpacks the wheels of torch and CUDA that vitrain builds with.

usage: unpack.py PROFILE WHEEL_DIR DEST

PROFILE cpu keeps what compiling and running on the CPU needs; cuda keeps the
CUDA libraries, their headers and the compiler too. Neither keeps Python code.
The layout of site-packages stays as it is (DEST/torch, DEST/nvidia): torch's
libraries find CUDA's through paths relative to their own.
"""

import os
import pathlib
import re
import sys
import zipfile

LICENCES = r"[^/]+\.dist-info/(licenses/.*|LICENSE.*|NOTICE.*|METADATA)"
KEEP = {
    "cpu": [
        r"torch/include/.*",
        r"torch/lib/(libc10|libtorch_cpu)\.so",
        r"torch/lib/libgomp[^/]*",
        r"nvidia/[^/]+/lib/lib(cudart|cupti)\.so\.\d+",
        LICENCES,
    ],
    "cuda": [
        r"torch/include/.*",
        r"torch/lib/(?!libtorch_python)[^/]*\.so[^/]*",
        r"nvidia/.*(?<!\.py)",
        LICENCES,
    ],
}


def unpack(wheel, dest, keep):
    """Extracts the members of `wheel` that match, with their mode bits."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if member.is_dir() or not keep.fullmatch(member.filename):
                continue
            path = archive.extract(member, dest)
            mode = member.external_attr >> 16
            if mode & 0o111:
                os.chmod(path, 0o755)


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in KEEP:
        sys.exit(__doc__)
    profile, wheel_dir, dest = sys.argv[1:]
    keep = re.compile("|".join(KEEP[profile]))
    wheels = sorted(pathlib.Path(wheel_dir).glob("*.whl"))
    if not wheels:
        sys.exit(f"no wheels in {wheel_dir}")
    for wheel in wheels:
        unpack(wheel, dest, keep)
    # Files must be on disk before tools/setup.sh renames DEST.
    os.sync()


if __name__ == "__main__":
    main()
