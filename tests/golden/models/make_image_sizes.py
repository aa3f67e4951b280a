#!/usr/bin/env python3
"""Writes image_sizes.safetensors: transformers on images of other sizes.

timm's networks with dynamic_img_size=True, which resample their positions on
their way, made for images of 16 px and given larger and smaller ones. CASE/SIZE/
logits, and CASE/SIZE/NAME for the gradient of a parameter, in double precision.

Needs torch 2.11, timm 1.0.31, safetensors:
    python3 tests/golden/models/make_image_sizes.py
"""

import torch
import timm
from safetensors.torch import save_file

from make_fixtures import HERE, pattern, set_parameters

SIDE, PATCH, IMAGES, CLASSES = 16, 4, 4, 5
SIZES = ((20, 28), (8, 12))
# Positions of a token in front, of two, of none behind tokens, of patches alone.
CASES = {
    "vit": "vit_tiny_patch16_224",
    "distilled": "deit_tiny_distilled_patch16_224",
    "deit3": "deit3_small_patch16_224",
    "registers": "vit_medium_patch16_reg4_gap_256",
}


def write_case(case, name, out):
    for height, width in SIZES:
        model = timm.create_model(
            name, img_size=SIDE, patch_size=PATCH, embed_dim=12, num_heads=3,
            depth=2, mlp_ratio=2.0, num_classes=CLASSES,
            dynamic_img_size=True).double()
        set_parameters(model)
        images = pattern(IMAGES * 3 * height * width, 1000)
        logits = model(images.reshape(IMAGES, 3, height, width))
        torch.nn.functional.cross_entropy(
            logits, torch.arange(IMAGES) % CLASSES).backward()
        start = f"{case}/{height}x{width}"
        out[f"{start}/logits"] = logits.detach()
        for key, value in model.named_parameters():
            out[f"{start}/{key}"] = value.grad.contiguous()


def main():
    torch.set_num_threads(1)
    out = {}
    for case, name in CASES.items():
        write_case(case, name, out)
    save_file(out, HERE / "image_sizes.safetensors")


if __name__ == "__main__":
    main()
