#!/usr/bin/env python3
"""Writes the files of tests/unit/weights/hostile_test.cpp: archives of weights
that lie. hostile/expected.csv has what the refusal of each must say; where that
is "-" the file is odd but right, and is read.

Needs the standard library alone.

    python3 tests/golden/weights/make_hostile.py
"""

import csv
import io
import pathlib
import pickle
import struct
import zipfile

HERE = pathlib.Path(__file__).resolve().parent / "hostile"


def text(value):
    raw = value.encode()
    return b"X" + struct.pack("<I", len(raw)) + raw


def integer(value):
    if value < 2**31:
        return b"J" + struct.pack("<i", value)
    raw = value.to_bytes((value.bit_length() + 8) // 8, "little")
    return b"\x8a" + bytes([len(raw)]) + raw


def numbers(values):
    return b"(" + b"".join(integer(v) for v in values) + b"t"


def storage(kind="FloatStorage", key="0", count=6):
    return (b"(" + text("storage") + b"ctorch\n" + kind.encode() + b"\n" +
            text(key) + text("cpu") + integer(count) + b"tQ")


def tensor(store=None, offset=0, sizes=(2, 3), strides=(3, 1)):
    return (b"ctorch._utils\n_rebuild_tensor_v2\n(" + (store or storage()) +
            integer(offset) + numbers(sizes) + numbers(strides) +
            b"\x89ccollections\nOrderedDict\n)RtR")


def state(*tensors):
    body = b"".join(text(f"t{i}") + t for i, t in enumerate(tensors))
    return b"\x80\x02}(" + body + b"u."


VALUES = struct.pack("<6f", *range(6))


def archive(pickled, members=(("data/0", VALUES),), method=zipfile.ZIP_STORED,
            byteorder=b"little"):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as z:
        z.writestr("archive/data.pkl", pickled)
        if byteorder:
            z.writestr("archive/byteorder", byteorder)
        for name, data in members:
            z.writestr("archive/" + name, data)
    return file.getvalue()


def npy(descr="'<f4'", fortran=False, shape="(2, 3)", data=VALUES):
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    header = header.ljust(118 - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def npz(*arrays, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as z:
        for i, data in enumerate(arrays):
            z.writestr(f"a{i}.npy", data)
    return file.getvalue()


class Os:
    def __reduce__(self):
        import os
        return os.system, ("touch vitrain_executed_a_pickle",)


class Eval:
    def __reduce__(self):
        return eval, ("1+1",)


def ndarray(shape, kind, data):
    return (b"cnumpy.core.multiarray\n_reconstruct\n(cnumpy\nndarray\n" +
            numbers([0]) + b"C\x01btR(" + integer(1) + numbers(shape) +
            b"cnumpy\ndtype\n(" + text(kind) + b"\x89\x88tR(" + integer(3) +
            text("<") + b"NNN" + b"J\xff\xff\xff\xff" * 2 + integer(0) + b"tb\x89B" +
            struct.pack("<I", len(data)) + data + b"tb")


def patched(data, old, new):
    assert data.count(old) >= 1 and len(old) == len(new)
    return data.replace(old, new)


def files():
    good = archive(state(tensor()))
    yield "plain.pth", good, "-"
    yield "deflated.pth", archive(state(tensor()), method=zipfile.ZIP_DEFLATED), "-"
    yield "no_byteorder.pth", archive(state(tensor()), byteorder=None), "-"
    yield ("transposed.pth",
           archive(state(tensor(sizes=(3, 2), strides=(1, 3)))), "-")
    yield "shared.pth", archive(state(tensor(), tensor(offset=2, sizes=(2,), strides=(2,)))), "-"
    yield "empty_tensor.pth", archive(state(tensor(offset=6, sizes=(0, 3)))), "-"
    yield "os_system.pth", archive(pickle.dumps({"t0": Os()}, 2)), "it names posix.system"
    yield "eval.pth", archive(pickle.dumps({"t0": Eval()}, 4)), "it names builtins.eval"
    yield ("beside.pth", archive(state(tensor(), b"cos\nsystem\n" + text("true") + b"\x85R")),
           "it names os.system")
    yield "short_storage.pth", archive(state(tensor()), [("data/0", VALUES[:20])]), "has 20 bytes"
    yield "long_storage.pth", archive(state(tensor()), [("data/0", VALUES * 2)]), "has 48 bytes"
    yield "no_storage.pth", archive(state(tensor()), []), "is not there"
    yield "offset.pth", archive(state(tensor(offset=1))), "reaches beyond its storage"
    yield "stride.pth", archive(state(tensor(strides=(4, 1)))), "reaches beyond"
    yield "expanded.pth", archive(state(tensor(sizes=(2**40,), strides=(0,)))), "expand()"
    yield ("overflow.pth", archive(state(tensor(sizes=(2**62, 8), strides=(8, 1)))),
           "reaches beyond")
    yield ("huge_count.pth", archive(state(tensor(storage(count=2**62)))), "overflow")
    yield ("negative_size.pth", archive(state(tensor(sizes=(-2, 3)))), "whole numbers from 0")
    yield ("ranks.pth", archive(state(tensor(sizes=(2, 3), strides=(1,)))), "reaches beyond")
    yield "many_dimensions.pth", archive(state(tensor(sizes=(1,) * 40, strides=(1,) * 40))), \
        "sizes or strides"
    yield "kind.pth", archive(state(tensor(storage("QUInt8Storage")))), "torch.QUInt8Storage"
    yield ("two_sizes.pth", archive(state(tensor(), tensor(storage(count=2), 0, (2,), (1,)))),
           "has two sizes")
    yield "big_endian.pth", archive(state(tensor()), byteorder=b"big"), "another byte order"
    yield "truncated.pth", good[:-30], "truncated"
    yield "crc.pth", patched(good, VALUES[:8], b"\0" * 7 + b"\1"), "bytes do not have its checksum"
    yield ("program.pth", archive(state(tensor()), [("constants.pkl", b"")]), "TorchScript")
    yield "list.pth", archive(b"\x80\x02]."), "no dictionary of tensors"
    yield "opcode.pth", archive(b"\x80\x02\xff."), "instruction 0xff"
    yield "cut_pickle.pth", archive(state(tensor())[:-9]), "it ends within"
    yield "self.pth", archive(b"\x80\x02}q\0" + text("a") + b"h\0s."), "no dictionary"
    deep = b"\x80\x02" + b"(" * 50000 + b"t" * 50000 + b"."
    yield "deep.pth", archive(deep), "no dictionary of tensors"
    yield "memo.pth", archive(b"\x80\x02]" + b"q\0(" + b"h\0" * 30000 + b"e."), "no dictionary"
    yield "set_on_tuple.pth", archive(b"\x80\x02)K\1K\2s."), "is not a dictionary"
    yield "call_a_text.pth", archive(b"\x80\x02" + text("x") + b")R."), "not a class or a function"
    twice = archive(state(tensor()), [("data/0", VALUES), ("data/1", VALUES)])
    yield "twice.pth", patched(twice, b"archive/data/1", b"archive/data/0"), "twice"
    yield ("several.pth",
           archive(b"\x80\x02}(" + b"".join(
               text(n) + b"}" + text("w") + tensor() + b"s" for n in "ab") + b"u."),
           "which of its dictionaries")
    yield "tensors.npz", npz(npy(), npy(fortran=True), npy("'>f4'")), "-"
    yield "deflated.npz", npz(npy(), method=zipfile.ZIP_DEFLATED), "-"
    yield "objects.npz", npz(npy("'|O'")), "holds Python objects"
    yield "texts.npz", npz(npy("'<U3'")), "not numbers"
    yield "record.npz", npz(npy("[('a', '<f4')]")), "not numbers"
    yield "short.npz", npz(npy(shape="(2, 4)")), "its shape needs 32 bytes"
    yield "overflow.npz", npz(npy(shape="(9223372036854775807, 9)")), "overflow"
    yield "minus.npz", npz(npy(shape="(-1, 3)")), "whole number"
    yield "no_shape.npz", npz(npy().replace(b"'shape'", b"'shade'")), "unknown key"
    yield "no_magic.npz", npz(b"12345678901234567890"), "is not a .npy file"
    yield "no_npy.npz", npz(npy()).replace(b"a0.npy", b"a0.txt"), "neither PyTorch"
    bomb = npz(npy(data=b"\0" * 24), method=zipfile.ZIP_DEFLATED)
    size = struct.pack("<I", len(npy(data=b"\0" * 24)))
    yield "bomb.npz", patched(bomb, size, struct.pack("<I", 2**31 - 1)), "cannot have 2147483647"
    array = ndarray((2, 3), "f4", VALUES)
    yield "plain.pdparams", b"\x80\x03}" + text("t0") + array + b"s.", "-"
    yield ("short.pdparams", b"\x80\x03}" + text("t0") + ndarray((2, 4), "f4", VALUES) + b"s.",
           "its shape needs 32 bytes")
    yield ("objects.pdparams", b"\x80\x03}" + text("t0") + ndarray((2, 3), "O8", VALUES) + b"s.",
           "does not hold numbers")
    yield "attack.pdparams", pickle.dumps({"t0": Os()}, 4), "it names posix.system"
    yield "cut.pdparams", (b"\x80\x03}" + text("t0") + array)[:-7], "it ends within"
    yield "old.tar", b"\0" * 257 + b"ustar\0" + b"\0" * 200, "a tar archive"
    yield "keras.h5", b"\x89HDF\r\n\x1a\n" + b"\0" * 99, "HDF5"
    yield "tiny.pth", b"PK", "not a file of weights"


def main():
    HERE.mkdir(exist_ok=True)
    with open(HERE / "expected.csv", "w", newline="") as table:
        rows = csv.writer(table, lineterminator="\n")
        rows.writerow(["file", "message"])
        for name, data, message in files():
            (HERE / name).write_bytes(data)
            rows.writerow([name, message])


if __name__ == "__main__":
    main()
