#!/usr/bin/env python3
"""Writes foreign_names.csv for tests/unit/networks/foreign_names_test.cpp.

Every name and shape of small models as other programs make them: PaddleViT's
own sources under paddlepaddle 3.3.1, and transformers 4.57.1 under torch 2.11.
The two libraries do not agree on their dependencies, so each is run apart and
replaces its own rows:

    python3 tests/golden/weights/foreign_names.py paddlevit FOLDER
    python3 tests/golden/weights/foreign_names.py transformers

where FOLDER is image_classification of PaddleViT.
"""

import csv
import importlib
import pathlib
import sys

FILE = pathlib.Path(__file__).resolve().with_suffix(".csv")
CLASSES = 7


def paddlevit(folder):
    def make(directory, module, name):
        """The class (or function) of a model, whose folder has modules of its own."""
        sys.path.insert(0, str(pathlib.Path(folder) / directory))
        for known in ("droppath", "config"):
            sys.modules.pop(known, None)
        found = getattr(importlib.import_module(module), name)
        sys.path.pop(0)
        return found

    classes = dict(num_classes=CLASSES)
    widths = [8, 12, 20, 16]
    pvt = make("PVTv2", "pvtv2", "PyramidVisionTransformerV2")
    pit = dict(image_size=224, patch_size=16, stride=8, base_dims=[6, 6, 6],
               depth=[1, 2, 2], heads=[1, 2, 4], mlp_ratio=2, **classes)
    cross = dict(img_size=[240, 224], patch_size=[12, 16], embed_dim=[8, 12],
                 num_heads=[2, 3], mlp_ratio=[2, 1, 1], qkv_bias=True,
                 depth=[[1, 2, 0], [1, 2, 0]], **classes)
    cross_vit = make("CrossViT", "crossvit", "VisionTransformer")
    yield "paddlevit_pvt_v2", pvt(
        embed_dims=widths, num_heads=[1, 2, 5, 4], mlp_ratio=[2, 2, 1, 2],
        depths=[1, 2, 1, 1], **classes)
    yield "paddlevit_pvt_v2_li", pvt(
        embed_dims=widths, num_heads=[1, 2, 5, 4], mlp_ratio=[2, 2, 1, 2],
        depths=[1, 2, 1, 1], linear=True, **classes)
    yield "paddlevit_poolformer", make("PoolFormer", "poolformer", "PoolFormer")(
        [1, 2, 1, 1], embed_dims=widths, mlp_ratios=[4] * 4,
        downsamples=[True] * 4, **classes)
    yield "paddlevit_pit", make("PiT", "pit", "PoolingTransformer")(**pit)
    yield "paddlevit_pit_distilled", make(
        "PiT", "pit", "DistilledPoolingTransformer")(**pit)
    yield "paddlevit_crossvit", cross_vit(**cross)
    yield "paddlevit_crossvit_dagger", cross_vit(multi_conv=True, **cross)
    yield "paddlevit_convmixer", make("ConvMixer", "convmixer", "ConvMixer")(
        12, 2, kernel_size=7, patch_size=7, activation="ReLU", **classes)


def from_transformers():
    import transformers

    common = dict(num_labels=CLASSES, depths=[1, 2, 1, 1])
    for case, linear in (("pvt_v2", False), ("pvt_v2_li", True)):
        yield f"transformers_{case}", transformers.PvtV2ForImageClassification(
            transformers.PvtV2Config(
                hidden_sizes=[8, 12, 20, 16], num_attention_heads=[1, 2, 5, 4],
                mlp_ratios=[2, 2, 1, 2], linear_attention=linear, **common))
    yield "transformers_poolformer", transformers.PoolFormerForImageClassification(
        transformers.PoolFormerConfig(hidden_sizes=[8, 12, 20, 16], **common))


def main():
    program = sys.argv[1]
    models = paddlevit(sys.argv[2]) if program == "paddlevit" else from_transformers()
    rows = []
    if FILE.exists():
        with open(FILE, newline="") as file:
            rows = [row for row in list(csv.reader(file))[1:]
                    if not row[0].startswith(program + "_")]
    for case, model in models:
        rows += [[case, name, "x".join(str(size) for size in value.shape)]
                 for name, value in model.state_dict().items()]
    with open(FILE, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "name", "shape"])
        writer.writerows(sorted(rows))


main()
