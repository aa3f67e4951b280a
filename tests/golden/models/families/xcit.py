#!/usr/bin/env python3
"""Writes xcit.safetensors and xcit.csv: see ../family_cases.py."""

import pathlib
import sys
import unittest.mock

import torch
from timm.models import xcit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write


class InDouble(xcit.PositionalEncodingFourier):
    """Sines in double precision too.

    timm takes them in single precision, whose last bits depend on the maker of
    the processor.
    """

    def forward(self, *sizes):
        with unittest.mock.patch.object(torch, "float32", torch.float64):
            return super().forward(*sizes)


xcit.PositionalEncodingFourier = InDouble
SMALL = dict(depth=2, num_heads=2, drop_path_rate=DROP_PATH)

write("xcit", [
    Case("xcit", "xcit_tiny_12_p8_224", (24, 40), fixed=True, embed_dim=16, **SMALL),
    Case("xcit_nano", "xcit_nano_12_p16_224", 64, fixed=True, embed_dim=24, **SMALL),
], names_of("xcit_"))
