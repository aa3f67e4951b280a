#!/usr/bin/env python3
"""Writes classic.safetensors and classic.csv: see ../family_cases.py.

Of networks that timm does not have, and of Inception V3. Needs torchvision 0.26.
"""

import pathlib
import sys
import unittest.mock
from functools import partial

import torch
import torchvision.models
from timm.models.inception_v3 import InceptionV3
from torchvision.models.shufflenetv2 import ShuffleNetV2

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import family_cases
from family_cases import Case, write

NAMES = {name: {} for name in (
    "alexnet", "squeezenet1_0", "squeezenet1_1", "shufflenet_v2_x0_5",
    "shufflenet_v2_x1_0", "shufflenet_v2_x1_5", "shufflenet_v2_x2_0")}
NAMES["googlenet"] = {"aux_logits": False, "init_weights": True}


def network(name, num_classes):
    """torchvision's network without dropout."""
    model = torchvision.models.get_model(name, num_classes=num_classes, **NAMES[name])
    for module in model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return model


def alexnet(num_classes):
    """AlexNet whose fully connected layers have 16 outputs instead of 4096."""
    linear = torch.nn.Linear
    narrow = {4096: 16}
    with unittest.mock.patch.object(
            torch.nn, "Linear",
            lambda one, two: linear(narrow.get(one, one), narrow.get(two, two))):
        return network("alexnet", num_classes)


def create(name, num_classes):
    """Stands in for timm.create_model."""
    third = name == "inception_v3"
    model = InceptionV3(num_classes=num_classes) if third else network(name, num_classes)
    side = 299 if third else 224
    model.default_cfg = {"input_size": (3, side, side)}
    return model


SHUFFLE = partial(ShuffleNetV2, [2, 1, 2], [24, 16, 24, 32, 40])
with unittest.mock.patch.object(family_cases.timm, "create_model", create):
    write("classic", [
        Case("alexnet", alexnet, (100, 96)),
        Case("squeezenet1_0", partial(network, "squeezenet1_0"), (60, 50)),
        Case("squeezenet1_1", partial(network, "squeezenet1_1"), 47),
        Case("shufflenet", SHUFFLE, (64, 45)),
        Case("googlenet", partial(network, "googlenet"), 160),
        Case("inception_v3", "inception_v3", 208),
    ], [*NAMES, "inception_v3"])
