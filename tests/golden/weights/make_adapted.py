#!/usr/bin/env python3
"""Writes adapted.safetensors: the weights of a first convolution of colours, and what
timm 1.0.31's adapt_input_conv makes of them for other numbers of channels.
"""

import pathlib

import torch
from safetensors.torch import save_file
from timm.models._manipulate import adapt_input_conv

HERE = pathlib.Path(__file__).resolve().parent


def main():
    torch.manual_seed(0)
    weights = torch.randn(3, 3, 2, 4)
    tensors = {"weights": weights}
    for channels in (1, 2, 4, 5, 6, 13):
        tensors[str(channels)] = adapt_input_conv(channels, weights.clone()).contiguous()
    save_file(tensors, HERE / "adapted.safetensors")


main()
