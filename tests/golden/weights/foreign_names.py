#!/usr/bin/env python3
"""Writes foreign_names.csv for tests/unit/networks/foreign_names_test.cpp.

Every name and shape of small models as other programs make them: PaddleViT's
own sources under paddlepaddle 3.3.1, transformers 4.57.1 under torch 2.11, and
mmpretrain 1.2.0 with mmcv-lite 2.1.0. The libraries do not agree on their
dependencies, so each is run apart and replaces its own rows:

    python3 tests/golden/weights/foreign_names.py paddlevit FOLDER
    python3 tests/golden/weights/foreign_names.py transformers
    python3 tests/golden/weights/foreign_names.py mmpretrain

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
    yield "paddlevit_hvt", make("HVT", "hvt", "HVT")(
        image_size=32, patch_size=8, embed_dim=12, depth=3, pool_block_width=2,
        **classes)
    yield "paddlevit_mobileone", make("MobileOne", "mobileone", "MobileOne")(
        num_blocks=[1, 1, 2, 2, 1], num_branches=[1, 2, 2, 2, 2],
        channels=[64, 64, 128, 256, 512], strides=[2] * 5, use_se=True,
        expansions=[0.25, 0.25, 1.0, 0.5, 0.25], **classes)


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


def from_mmpretrain():
    from mmpretrain.models import ImageClassifier

    yield "mmpretrain_mobileone", ImageClassifier(
        backbone=dict(type="MobileOne", arch=dict(
            num_blocks=[1, 2, 2, 1], width_factor=[0.25, 1.0, 0.5, 0.25],
            num_conv_branches=[2] * 4, num_se_blocks=[0, 0, 1, 1])),
        neck=dict(type="GlobalAveragePooling"),
        head=dict(type="LinearClsHead", num_classes=CLASSES, in_channels=128))


PROGRAMS = {"paddlevit": paddlevit, "transformers": from_transformers,
            "mmpretrain": from_mmpretrain}


def main():
    program = sys.argv[1]
    models = PROGRAMS[program](*sys.argv[2:])
    rows = []
    if FILE.exists():
        with open(FILE, newline="") as file:
            rows = [row for row in list(csv.reader(file))[1:]
                    if not row[0].startswith(program + "_")]
    for case, model in models:
        rows += [[case, name, "x".join(str(size) for size in value.shape)]
                 for name, value in model.state_dict().items()
                 if not name.endswith("num_batches_tracked")]
    with open(FILE, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "name", "shape"])
        writer.writerows(sorted(rows))


main()
