#!/usr/bin/env python3
"""Writes seeds/ beside this file: inputs for the fuzz targets of the readers of
datasets (tar, list, binaries). seeds/jpeg holds what the fuzzers found instead:
files that were decoded wrongly once, as they were found.

Needs Python alone:  python3 make_seeds.py
"""

import gzip
import io
import pathlib
import tarfile

SEEDS = pathlib.Path(__file__).resolve().parent / "seeds"


def archive(kind, files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind) as tar:
        for name, content in files:
            info = tarfile.TarInfo(name)
            if content is None:
                info.type, info.linkname = tarfile.SYMTYPE, "elsewhere/" * 20
                content = b""
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    # Up to the two blocks that end it, without the padding of a record.
    size = len(out.getvalue().rstrip(b"\0"))
    return out.getvalue()[:(size + 511) // 512 * 512 + 1024]


def main():
    images = [("val/a/1.jpg", b"one"), ("val/b/" + "n" * 150 + ".jpg", b"2" * 600),
              ("val/link.jpg", None), ("val/b/3.png", b"")]
    shard = [("1.cls", b"0"), ("1.jpg", b"x"), ("2.json", b'{"label": "cat"}'),
             ("2.cls", b"1"), ("2.jpg", b"y")]
    inner = archive(tarfile.USTAR_FORMAT, [("1.jpg", b"one")])
    tars = {
        "gnu": archive(tarfile.GNU_FORMAT, images),
        "pax": archive(tarfile.PAX_FORMAT, images + [("val/\u00e4.jpg", b"4")]),
        "shard": archive(tarfile.USTAR_FORMAT, shard),
        "tars": archive(tarfile.USTAR_FORMAT, [("n01.tar", inner), ("n02.tar", inner)]),
    }
    lists = {
        "table": b'\xef\xbb\xbfpath,label\r\na.jpg,cat\r\n"b, ""c"".jpg",dog10\r\n',
        "numbers": b"a.jpg,1\n\n\"x\ny.jpg\",0\r",
        "lines": "train/n01440764/x.JPEG 0\nmy fish.JPEG 12\n\u00c4pfel 3".encode(),
    }
    idx = b"\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02" + bytes(range(8))
    labels = gzip.compress(b"\0\0\x08\x01\0\0\0\x01\x07", mtime=0)
    cifar = (bytes([3, 42]) + bytes(3072)) * 2
    binaries = {"idx": b"\0" + idx, "gz": b"\1" + labels, "cifar": b"\2" + cifar,
                **{f"tar_{name}": b"\3" + bytes for name, bytes in tars.items()}}
    for folder, seeds in ("tar", tars), ("list", lists), ("binaries", binaries):
        (SEEDS / folder).mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (SEEDS / folder / name).write_bytes(content)


if __name__ == "__main__":
    main()
