#!/usr/bin/env python3
"""Writes the reference numbers of tests/unit/networks/families_test.cpp.

Runs timm; needs torch 2.11, timm 1.0.31, safetensors. Weights, images and what
is dropped are patterns that the test makes as well (make_fixtures.py), so that
only results are kept: families.safetensors has the logits of each case and of
each parameter's gradient a sample with a weighted sum; families.csv the number
of parameters and the image size of every name; starts.csv a weighted sum of
every tensor that timm's constructor leaves after torch.manual_seed(11).

    python3 tests/golden/models/families.py
"""

import csv
import math
import pathlib
import re

import timm
import torch
from safetensors.torch import save_file
from timm.layers import DropPath, GatedMlp, GluMlp
from timm.models.mlp_mixer import (
    Affine, MlpMixer, ResBlock, SpatialGatingBlock)

from make_fixtures import backward, pattern, set_parameters, weighted_sum

HERE = pathlib.Path(__file__).resolve().parent
IMAGES = 3
CLASSES = 7
SAMPLE = 200  # values kept of a gradient

SMALL = dict(patch_size=8, num_blocks=2, embed_dim=24, drop_path_rate=0.25)

# Name of the case, timm's model or its class, keyword arguments, image size, and how often a
# forward pass goes through each drop path.
CASES = [
    ("mixer", MlpMixer, dict(SMALL, embed_dim=20), 40, 2),
    ("gmixer", MlpMixer,
     dict(SMALL, mlp_ratio=(1.0, 4.0), mlp_layer=GluMlp, act_layer=torch.nn.SiLU),
     40, 2),
    ("resmlp", MlpMixer,
     dict(SMALL, mlp_ratio=4, block_layer=ResBlock, norm_layer=Affine), 40, 2),
    ("gmlp", MlpMixer,
     dict(SMALL, mlp_ratio=6, block_layer=SpatialGatingBlock, mlp_layer=GatedMlp),
     40, 1),
    ("convnext", "convnext_tiny",
     dict(depths=(1, 2, 1, 1), dims=(8, 12, 16, 20), drop_path_rate=0.25), 71, 1),
    ("convnext_conv", "convnext_atto_ols",
     dict(depths=(1, 1, 2, 1), dims=(24, 12, 16, 20), drop_path_rate=0.25), 66, 1),
    ("convnext_head", "convnext_large_mlp",
     dict(depths=(1, 1, 1, 1), dims=(8, 12, 16, 20), head_hidden_size=10,
          drop_path_rate=0.25), 64, 1),
    ("convnext_norm_first", "convnext_tiny_hnf",
     dict(depths=(1, 1, 1, 1), dims=(8, 12, 16, 20), drop_path_rate=0.25), 64, 1),
    ("convnextv2", "convnextv2_nano",
     dict(depths=(1, 1, 2, 1), dims=(8, 12, 16, 20), drop_path_rate=0.25), 64, 1),
    ("swin", "swin_tiny_patch4_window7_224",
     dict(depths=(2, 2, 1, 2), embed_dim=8, num_heads=(1, 2, 4, 4),
          window_size=(5, 5, 2, 7), drop_path_rate=0.25), 52, 1),
]
SMALL_VIT = dict(embed_dim=16, depth=2, num_heads=2, drop_path_rate=0.25)
VITS = [
    ("vit_gap", "vit_medium_patch16_gap_240", dict(patch_size=8)),
    ("vit_reg_gap", "vit_medium_patch16_reg4_gap_256", dict(patch_size=8)),
    ("vit_clip", "vit_base_patch32_clip_quickgelu_224", dict(patch_size=8)),
    ("vit_siglip", "vit_base_patch16_siglip_224", dict(patch_size=8)),
    ("vit_siglip_gap", "vit_so400m_patch16_siglip_gap_256",
     dict(patch_size=8, mlp_ratio=3)),
    ("vit_map", "vit_so150m_patch16_reg4_map_256", dict(patch_size=8)),
    ("vit_dinov2", "vit_giant_patch14_reg4_dinov2", dict(patch_size=8, mlp_ratio=3)),
    ("flexivit", "flexivit_small", dict(patch_size=8)),
    ("deit_distilled", "deit_tiny_distilled_patch16_224", dict(patch_size=8)),
    ("deit3", "deit3_small_patch16_224", dict(patch_size=8)),
]
CASES += [(case, name, dict(SMALL_VIT, **more), 40, 1) for case, name, more in VITS]
FIXED_SIZE = ("mixer", "gmixer", "resmlp", "gmlp", "swin",
              *(case for case, _, _ in VITS))
RESNETS = ("resnet18", "resnet34", "resnet50", "resnet101", "resnet152")
FAMILIES = ("mixer_", "gmixer_", "resmlp_", "gmlp_", "convnext_", "convnextv2_", "swin_",
            "vit_", "flexivit_", "deit_", "deit3_")
# Other norms than those of the family here.
LEFT_OUT = ("convnext_zepto_rms", "convnext_zepto_rms_ols", "convnext_atto_rms")
# Hybrids, other positions, other blocks, encoders without classifier, and
# images that are no whole number of patches.
OTHER_VITS = re.compile(
    r"_r\d+_|_resnet|relpos|rope|_xp_|_rpn_|18x2|_d\w*wee|_pwee|_dlittle|tipsv2|radio|"
    r"intern|_pe_|patch14_siglip(_gap)?_384|_ss_|vit_\w*pe_|"
    r"dinov3|sapiens2|lingbot|_mci_|_r_s16")


class Factors(torch.nn.Module):
    """Stands in for timm's DropPath: row after row of the factors."""

    def __init__(self, factors):
        super().__init__()
        self.factors = factors
        self.calls = 0

    def forward(self, x):
        row = self.factors[self.calls % len(self.factors)]
        self.calls += 1
        return x * row.view(-1, *[1] * (x.dim() - 1)).to(x.dtype)


def factors_of(row):
    """The factors of a branch, an image each: some of them 0."""
    return torch.tensor([((row * 7 + n * 3) % 5) * 0.5 for n in range(IMAGES)])


def replace_drop_paths(model, calls):
    """Each branch its own factors, also those of rate 0, which timm leaves out."""
    row = 0
    for name, module in list(model.named_modules()):
        last = name.rsplit(".", 1)[-1]
        if not last.startswith("drop_path"):
            continue
        parent = model.get_submodule(name.rsplit(".", 1)[0])
        setattr(parent, last, Factors([factors_of(row + i) for i in range(calls)]))
        row += calls
    assert not any(isinstance(module, DropPath) for module in model.modules())


def build(name, arguments, size, fixed):
    if fixed:
        arguments = dict(arguments, img_size=size)
    if not isinstance(name, str):
        return name(num_classes=CLASSES, **arguments)
    return timm.create_model(name, num_classes=CLASSES, **arguments)


def main():
    tensors = {}
    starts = []
    for case, name, arguments, size, calls in CASES:
        fixed = case in FIXED_SIZE
        torch.manual_seed(11)
        model = build(name, arguments, size, fixed)
        for key, value in model.state_dict().items():
            starts.append([case, key, repr(weighted_sum(value))])
        model = model.double()
        set_parameters(model)
        replace_drop_paths(model, calls)
        logits = backward(model, IMAGES, size, CLASSES)
        tensors[f"{case}/logits"] = logits
        for key, value in model.named_parameters():
            flat = value.grad.flatten()
            step = max(1, math.ceil(flat.numel() / SAMPLE))
            tensors[f"{case}/{key}"] = torch.cat(
                [flat[::step], torch.tensor([weighted_sum(flat)], dtype=flat.dtype)])
    save_file({key: value.contiguous() for key, value in tensors.items()},
              HERE / "families.safetensors")
    write_csv("starts.csv", ["case", "tensor", "weighted"], starts)
    rows = []
    for name in timm.list_models():
        ours = name in RESNETS or name.startswith(FAMILIES)
        if not ours or name in LEFT_OUT or OTHER_VITS.search(name):
            continue
        with torch.device("meta"):
            model = timm.create_model(name, num_classes=1000)
        count = sum(value.numel() for value in model.parameters())
        rows.append([name, count, model.default_cfg["input_size"][-1]])
    write_csv("families.csv", ["name", "parameters", "image_size"], rows)


def write_csv(name, head, rows):
    with open(HERE / name, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
