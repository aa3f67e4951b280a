#!/usr/bin/env python3
"""Writes swin_v2.safetensors and swin_v2.csv: see ../family_cases.py."""

import pathlib
import re
import sys
import unittest.mock

import torch
from timm.models.swin_transformer_v2 import SwinTransformerV2, WindowAttention

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from family_cases import DROP_PATH, Case, names_of, write


class InDouble(SwinTransformerV2):
    """Logarithms of distances in double precision too.

    timm takes them in single precision, whose last bits depend on the maker of
    the processor.
    """

    def double(self):
        super().double()
        with unittest.mock.patch.object(torch, "float32", torch.float64):
            for module in self.modules():
                if isinstance(module, WindowAttention):
                    module._init_buffers()
        return self


SMALL = dict(depths=(2, 2, 1, 2), embed_dim=8, num_heads=(1, 2, 4, 4),
             drop_path_rate=DROP_PATH)

write("swin_v2", [
    # Grids 10x19, 5x10, 3x5, 2x3: the second moves its windows along one side.
    Case("swin_v2", InDouble, (40, 76), fixed=True, window_size=(5, 5, 2, 7),
         **SMALL),
    Case("swin_v2_before", InDouble, 32, fixed=True, window_size=(4, 3, 2, 2),
         pretrained_window_sizes=(6, 2, 1, 0), **SMALL),
], names_of("swinv2_", but=[re.compile("_cr_")]))
