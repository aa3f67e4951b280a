#!/usr/bin/env python3
"""Writes hvt.safetensors and hvt.csv: see ../family_cases.py.

timm does not have these networks: the authors' own are run, whose repository
(ziplab/HVT at f32cc1c) is the argument. Their module reads the command line; a
stand-in for it says how often tokens are pooled. That their numbers are those
of PaddleViT's files is checked with ../../config/paddlevit_files.csv, from
which comes the one network that pools nothing, which theirs cannot.

    python3 tests/golden/models/families/hvt.py FOLDER
"""

import csv
import functools
import pathlib
import sys
import types

import torch
from safetensors.torch import save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from family_cases import DROP_PATH, Case, write_case

sys.path.insert(0, sys.argv[1])
args = types.SimpleNamespace(pool_kernel_size=3, pool_block_width=1)
sys.modules["params"] = types.SimpleNamespace(args=args)
from models import HVT

PLAIN = "hvt_s0_patch16_224"
# Width, heads, a pooling every so many blocks.
NETWORKS = {
    "hvt_ti_1_patch16_224": (192, 3, 12),
    "hvt_s1_patch16_224": (384, 6, 12),
    "hvt_s2_patch16_224": (384, 6, 6),
    "hvt_s3_patch16_224": (384, 6, 4),
    "scale_hvt_ti_4_patch16_224": (384, 6, 3),
}


def hvt(pool_block_width, **arguments):
    args.pool_block_width = pool_block_width
    return HVT(qkv_bias=True, norm_layer=functools.partial(
        torch.nn.LayerNorm, eps=1e-6), **arguments)


def published():
    path = HERE.parents[1] / "config" / "paddlevit_files.csv"
    with open(path, newline="") as file:
        return {pathlib.Path(row["file"]).stem: int(row["parameters"])
                for row in csv.DictReader(file) if row["family"] == "HVT"}


def main():
    small = dict(patch_size=8, embed_dim=12, depth=3, num_heads=3, mlp_ratio=2,
                 drop_path_rate=DROP_PATH)
    tensors = {}
    for name, size, every in (("hvt", (40, 56), 1), ("hvt_once", (24, 48), 4),
                              ("hvt_twice", (32, 40), 2)):
        write_case(Case(name, hvt, size, fixed=True, calls=2,
                        pool_block_width=every, **small), tensors)
    save_file({key: value.contiguous() for key, value in tensors.items()},
              HERE / "hvt.safetensors")

    known = published()
    with open(HERE / "hvt.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "parameters", "image_size"])
        writer.writerow([PLAIN, known.pop(PLAIN), 224])
        for name, (width, heads, every) in NETWORKS.items():
            model = hvt(every, embed_dim=width, num_heads=heads)
            count = sum(value.numel() for value in model.parameters())
            assert count == known.pop(name), (name, count)
            writer.writerow([name, count, 224])
    assert not known, known


main()
