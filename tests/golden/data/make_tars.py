"""Writes tars.csv: what tar and Python read of archives with unusual ends.

Needs GNU tar. Run in this folder:

    python make_tars.py

Each row has the names that `tar -i -t` and `tarfile` with ignore_zeros both
list, or nothing where one of them refuses the file or they differ; whether tar
reports damage; and the file's bytes, packed by zlib, as hexadecimal digits.
"""

import csv
import io
import subprocess
import tarfile
import tempfile
import zlib


def members(names, size=700):
    """An archive without the zeros at its end."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = size
            tar.addfile(info, io.BytesIO(name.encode() * size))
    return out.getvalue()[: len(names) * (512 + (size + 511) // 512 * 512)]


def zeros(count):
    return bytes(count)


AB = members(["a", "b"])
C = members(["c"])
END = zeros(1024)
CASES = {
    "closed": AB + END,
    "without zeros": AB,
    "one block of zeros": AB + zeros(512),
    "part of a block of zeros": AB + zeros(100),
    "part of a header": AB + C[:200],
    "cut within the last block": AB[:-300],
    "cut within a member": AB[:-700],
    "archives behind one another": AB + END + C + END,
    "with the padding of a record": AB + zeros(10240) + C + END,
    "the second without zeros": AB + END + C,
    "no zeros between": AB + C + END,
    "one block of zeros between": AB + zeros(512) + C + END,
    "something between": AB + END + b"x" * 512 + C + END,
    "something behind": AB + END + b"x" * 1000,
    "the second is not at a block": AB + END + zeros(100) + C + END,
    "zeros in front": END + AB + END,
    "the second is cut within a member": AB + END + C[:1000],
    "the second is cut within its header": AB + END + C[:100],
    "damaged within the first": AB + b"x" * 512 + C + END,
    "damaged within the second": AB + END + C + b"x" * 512 + C + END,
}


def by_python(path):
    try:
        with tarfile.open(path, "r:", ignore_zeros=True) as tar:
            return [member.name for member in tar]
    except tarfile.TarError:
        return None


def by_tar(path):
    run = subprocess.run(["tar", "-itf", path], capture_output=True, text=True, check=False)
    cut = "Unexpected EOF" in run.stderr
    return None if cut else run.stdout.split(), run.returncode != 0


with open("tars.csv", "w", newline="") as out:
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["case", "files", "damage", "bytes"])
    for case, data in CASES.items():
        with tempfile.NamedTemporaryFile(suffix=".tar") as file:
            file.write(data)
            file.flush()
            python = by_python(file.name)
            tar, damage = by_tar(file.name)
        files = " ".join(python) if python is not None and python == tar else ""
        writer.writerow([case, files, int(damage), zlib.compress(data, 9).hex()])
