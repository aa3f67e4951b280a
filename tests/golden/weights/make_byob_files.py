#!/usr/bin/env python3
"""Adds the files of MobileOne, MobileViT and HaloNet to those of make_files.py.

Each is written by the original, from a small model with random weights (halves,
in which they are exact), and logits.safetensors gets what that model makes of
the images, in double precision. Each part is run where its original is:

    make_byob_files.py transformers                  (transformers 4.57 or 5)
    make_byob_files.py mobileone FOLDER  (apple/ml-mobileone at b7f4e6d: its file)
    make_byob_files.py cvnets FOLDER     (apple/ml-cvnets at 7771756)
    make_byob_files.py paddlevit FOLDER  (image_classification of PaddleViT;
                                          paddlepaddle 3.3.1 beside torch 2.11)
"""

import argparse
import collections
import math
import pathlib
import sys

import numpy
import torch
from safetensors.torch import load_file, save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from make_files import CLASSES, fill, images

LOGITS = load_file(HERE / "logits.safetensors")


def run(case, model, batch):
    """What it makes of the images, and its weights as halves."""
    with torch.no_grad():
        out = fill(model, torch).double()(torch.from_numpy(batch))
    LOGITS[case] = out if isinstance(out, torch.Tensor) else out.logits
    return collections.OrderedDict(
        (name, value.half() if value.is_floating_point() else value)
        for name, value in model.state_dict().items())


def from_transformers():
    import transformers

    # Its image processor gives it BGR.
    batch = numpy.ascontiguousarray(images(64)[:, ::-1])
    state = run("transformers_mobilevit", transformers.MobileViTForImageClassification(
        transformers.MobileViTConfig(
            num_labels=CLASSES, image_size=64, hidden_sizes=[8, 8, 16],
            neck_hidden_sizes=[16, 8, 8, 16, 16, 24, 48], expand_ratio=2.0)), batch)
    save_file(state, HERE / "transformers_mobilevit.safetensors", {"format": "pt"})
    state = run("transformers_mobilevitv2", transformers.MobileViTV2ForImageClassification(
        transformers.MobileViTV2Config(
            num_labels=CLASSES, image_size=64, width_multiplier=0.125,
            n_attn_blocks=[1, 2, 1])), batch)
    save_file(state, HERE / "transformers_mobilevitv2.safetensors", {"format": "pt"})


def from_mobileone(folder):
    sys.path.insert(0, folder)
    from mobileone import MobileOne

    state = run("original_mobileone", MobileOne(
        num_blocks_per_stage=[1, 2, 1, 1], num_classes=CLASSES,
        width_multipliers=[0.25, 0.0625, 0.5, 0.25], use_se=True,
        num_conv_branches=2), images(64))
    torch.save(state, HERE / "original_mobileone.pth")


def from_cvnets(folder):
    sys.path.insert(0, folder)
    from cvnets.models.classification import mobilevit, mobilevit_v2

    options = argparse.Namespace()
    for key, value in {
            "normalization.name": "batch_norm", "normalization.momentum": 0.1,
            "normalization.groups": 1, "activation.name": "swish",
            "activation.inplace": False, "activation.neg_slope": 0.1,
            "classification.n_classes": CLASSES,
            "classification.enable_layer_wise_lr_decay": False,
            "classification.layer_wise_lr_decay_rate": 1.0,
            "classification.mitv2.width_multiplier": 0.125}.items():
        setattr(options, f"model.{key}", value)

    setattr(options, "model.classification.mit.mode", "xx_small")

    def change(module, layers, **others):
        """The module's numbers of layers 1 to 5 with others in place."""
        numbers = module.get_configuration(options)
        for number, more in enumerate(layers):
            numbers[f"layer{number + 1}"].update(more)
        numbers.update(others)
        module.get_configuration = lambda opts: numbers

    change(mobilevit,
           [dict(out_channels=8), dict(out_channels=8)] +
           [dict(out_channels=out, transformer_channels=width, ffn_dim=2 * width)
            for out, width in ((16, 8), (16, 8), (24, 16))],
           last_layer_exp_factor=2)
    state = run("original_mobilevit", mobilevit.MobileViT(options), images(64))
    torch.save(state, HERE / "original_mobilevit.pth")
    change(mobilevit_v2,
           [{}, {}] + [dict(attn_blocks=blocks) for blocks in (1, 2, 1)])
    state = run("original_mobilevitv2", mobilevit_v2.MobileViTv2(options), images(64))
    torch.save(state, HERE / "original_mobilevitv2.pth")


def from_paddlevit(folder):
    import paddle

    def write(case, model, size):
        """As run() and fill(); the logits are those of the file's values."""
        random = numpy.random.default_rng(3)
        for name, value in model.state_dict().items():
            noise = random.integers(-32, 33, value.shape) / 64
            if name.endswith("_variance"):
                noise = abs(noise) + 1
            if value.ndim == 1 and name.endswith("weight"):
                noise = noise + 1
            if value.ndim > 1:  # so that what comes out is as large as what goes in
                inputs = value.size / value.shape[0]
                noise = noise / 2 ** (round(math.log2(inputs) / 2) - 1)
            value.set_value(noise.astype("float32"))
        paddle.save(model.state_dict(), str(HERE / f"{case}.pdparams"))
        model.eval()
        out = model.to(dtype="float64")(paddle.to_tensor(images(size)))
        LOGITS[case] = torch.from_numpy(out.numpy().copy())

    sys.path.insert(0, str(pathlib.Path(folder) / "MobileOne"))
    from mobileone import MobileOne

    write("paddlevit_mobileone", MobileOne(
        num_blocks=[1, 1, 2, 1, 1], num_branches=[1, 2, 2, 2, 2],
        channels=[64, 64, 128, 256, 512], strides=[2] * 5,
        expansions=[0.25, 0.25, 0.125, 0.0625, 0.03125], num_classes=CLASSES), 64)
    sys.path.insert(0, str(pathlib.Path(folder) / "HaloNet"))
    from halonet import HaloNet

    write("paddlevit_halonet", HaloNet(
        depth_list=[1, 1, 2, 2], block_size=2, halo_size=1,
        stage1_block=["bottle"], stage2_block=["bottle"],
        stage3_block=["bottle", "attn"], stage4_block=["attn", "attn"],
        chs_list=[64, 32, 32, 64, 64], num_heads=[0, 0, 2, 2], num_classes=CLASSES,
        stride_list=[1, 2, 2, 2], hidden_chs=64, act="relu"), 64)


PARTS = {"transformers": from_transformers, "mobileone": from_mobileone,
         "cvnets": from_cvnets, "paddlevit": from_paddlevit}
PARTS[sys.argv[1]](*sys.argv[2:])
save_file({n: v.contiguous() for n, v in LOGITS.items()}, HERE / "logits.safetensors")
