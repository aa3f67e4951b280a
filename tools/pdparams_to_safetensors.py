#!/usr/bin/env python3
"""Writes the weights of a PaddleViT ViT as .safetensors with timm's names.

usage: pdparams_to_safetensors.py IN.pdparams OUT.safetensors

Needs paddlepaddle, where PaddleViT runs; vitrain itself needs no Python. IN is
a file of weights or a checkpoint of PaddleViT, whose averaged weights
(model_ema) are taken when it has some.
"""

import json
import re
import struct
import sys

import numpy
import paddle

# PaddleViT's names, and timm's.
NAMES = [
    (r"^patch_embedding\.patch_embedding\.", "patch_embed.proj."),
    (r"^position_embedding$", "pos_embed"),
    (r"^encoder\.layers\.(\d+)\.attn_norm\.", r"blocks.\1.norm1."),
    (r"^encoder\.layers\.(\d+)\.attn\.qkv\.", r"blocks.\1.attn.qkv."),
    (r"^encoder\.layers\.(\d+)\.attn\.out\.", r"blocks.\1.attn.proj."),
    (r"^encoder\.layers\.(\d+)\.mlp_norm\.", r"blocks.\1.norm2."),
    (r"^encoder\.layers\.(\d+)\.mlp\.", r"blocks.\1.mlp."),
    (r"^encoder\.encoder_norm\.", "norm."),
    (r"^classifier\.", "head."),
]


def weights(path):
    state = paddle.load(path, return_numpy=True)
    for part in ("model_ema", "model"):
        if isinstance(state.get(part), dict):
            return state[part]
    return state


def convert(state):
    tensors = {}
    for name, value in state.items():
        if name == "StructuredToParameterName@@":
            continue
        value = numpy.asarray(value)
        if value.dtype != numpy.float32:
            sys.exit(f"{name}: {value.dtype}, expected float32")
        # Paddle keeps the weights of linear layers as [in, out].
        if name.endswith(".weight") and value.ndim == 2:
            value = value.T
        for pattern, timm in NAMES:
            name = re.sub(pattern, timm, name)
        tensors[name] = numpy.ascontiguousarray(value)
    return tensors


def write(path, tensors):
    header, offset = {}, 0
    for name in sorted(tensors):
        size = tensors[name].nbytes
        header[name] = {
            "dtype": "F32", "shape": list(tensors[name].shape),
            "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name in sorted(tensors):
            file.write(tensors[name].tobytes())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tensors = convert(weights(sys.argv[1]))
    write(sys.argv[2], tensors)
    print(f"{sys.argv[2]}: {len(tensors)} tensors")


if __name__ == "__main__":
    main()
