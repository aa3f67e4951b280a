#!/usr/bin/env python3
"""Writes class_order.csv beside this file: classes and order of samples that
torchvision's ImageFolder and timm's folder reader give on some trees.

Needs torchvision 0.26 and timm 1.0.31:  python3 make_class_order.py

A row is a sample, in the reader's order: tree, reader, number and name of its
class, its path below the root. Names are percent-encoded. `timm_map` is timm
with a class map of every other class in reverse order.
"""

import os
import pathlib
import tempfile
from urllib.parse import quote

from timm.data.readers.reader_image_folder import ReaderImageFolder
from torchvision.datasets import ImageFolder

HERE = pathlib.Path(__file__).resolve().parent
WNIDS = ["n01440764", "n01443537", "n02110341", "n01514668", "n15075141"]
TREES = {
    "wnids": [f"{w}/{w}_{i}.JPEG" for w in WNIDS for i in (10026, 9, 293, 1978)],
    "numbers": [f"{c}/{i}.png"
                for c in (0, 1, 2, 9, 10, 11, 20, 100, "007", "7a", "a7", "a07b")
                for i in (2, 10, "02x")],
    "letters": [f"{c}/{f}.jpg"
                for c in ("Zebra", "ant", "Bee", "bee2", "Bee10", "a-b", "a b", "a",
                          "a_b", "-rf", "Äpfel", "äffle", "Öl", "straße", "Ωmega",
                          "ωave", "日本", "😀", "x'y\"z", "new\nline", "\x1b[31m",
                          "é", "e")
                for f in ("B2", "b10", "a", "A1", "_", "é2")],
    # No UTF-8; of such names alone byte order and Python's may differ.
    "stray": [f"{c}/{f}.jpg" for c in ("\udcff\udcfe", "\udcfe", "é", "z10", "z9")
              for f in ("\udcff1", "é", "F\udc80", "e\udc80")],
    "nested": ["cats/tabby/2.jpg", "cats/tabby/10.jpg", "cats/wild/Lynx/1.jpg",
               "cats/1.jpg", "cats/zz.jpg", "cats/Alpha.jpg", "cats-2/1.jpg",
               "cats/a-b/1.jpg", "cats/a/1.jpg", "cats/a/x/1.jpg",
               "dogs/tabby/3.jpg", "dogs/big/1.jpg", "dogs/Bigger/2.jpg",
               "dogs/9/1.jpg", "dogs/10/1.jpg", "zoo/x/y/z/1.jpg"],
}


def encode(name):
    return quote(os.fsencode(name), safe="/")


def torchvision_rows(root):
    data = ImageFolder(root)
    return [(label, data.classes[label], path) for path, label in data.samples]


def timm_rows(root, class_map=""):
    reader = ReaderImageFolder(root, class_map=class_map)
    names = {label: name for name, label in reader.class_to_idx.items()}
    return [(label, names[label], path) for path, label in reader.samples]


def timm_map_rows(root):
    classes = sorted({name for _, name, _ in timm_rows(root)}, key=os.fsencode)
    # The map is a text file: names that lines cannot hold are left out.
    chosen = [c for c in classes[::-2] if c.isprintable() and c == c.strip()]
    with open(pathlib.Path(root).parent / "map.txt", "w") as out:
        out.write("".join(c + "\n" for c in chosen))
    return timm_rows(root, str(pathlib.Path(root).parent / "map.txt"))


READERS = {"torchvision": torchvision_rows, "timm": timm_rows,
           "timm_map": timm_map_rows}


def main():
    lines = ["tree,reader,label,class,path\n"]
    for tree, files in TREES.items():
        with tempfile.TemporaryDirectory() as folder:
            root = os.path.join(folder, "root")
            for name in files:
                path = os.path.join(root, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "wb"):
                    pass
            for reader, rows in READERS.items():
                for label, name, path in rows(root):
                    relative = os.path.relpath(path, root)
                    lines.append(
                        f"{tree},{reader},{label},{encode(name)},{encode(relative)}\n")
    (HERE / "class_order.csv").write_text("".join(lines))


if __name__ == "__main__":
    main()
