#!/usr/bin/env python3
"""Adds the file of a SigLIP to those of make_files.py: the image's side of a small
network of timm 1.0.31 with random weights, as big_vision saves one whose blocks are
scanned (one tensor for all of them), with some of the text's side; timm's own reader
makes the same of it. logits.safetensors gets what the network makes of the images.
"""

import pathlib
import re
import sys

import numpy
import timm
import torch
from safetensors.torch import load_file, save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from make_files import CLASSES, fill, images, vit_npz

WIDTH, HEADS, DEPTH = 16, 2, 3


def make():
    return timm.create_model(
        "vit_base_patch16_siglip_224", img_size=32, patch_size=8, embed_dim=WIDTH,
        depth=DEPTH, num_heads=HEADS, num_classes=CLASSES)


def heads(state, name):
    """A linear layer whose outputs are heads: kernel and bias."""
    return {
        "kernel": state[f"{name}.weight"].T.reshape(WIDTH, HEADS, -1),
        "bias": state[f"{name}.bias"].reshape(HEADS, -1)}


def pooling(state):
    """The module MAPHead_0 of big_vision's models/vit.py."""
    key, value = ({f"kv.{kind}": part for kind, part in zip(("weight", "bias"), parts)}
                  for parts in zip(*(state[f"attn_pool.kv.{kind}"].chunk(2)
                                     for kind in ("weight", "bias"))))
    attention = "MultiHeadDotProductAttention_0"
    arrays = {"probe": state["attn_pool.latent"]}
    for part, values in (("query", heads(state, "attn_pool.q")),
                         ("key", heads(key, "kv")), ("value", heads(value, "kv"))):
        arrays |= {f"{attention}/{part}/{kind}": v for kind, v in values.items()}
    arrays[f"{attention}/out/kernel"] = state["attn_pool.proj.weight"].T.reshape(
        HEADS, -1, WIDTH)
    arrays[f"{attention}/out/bias"] = state["attn_pool.proj.bias"]
    arrays["LayerNorm_0/scale"] = state["attn_pool.norm.weight"]
    arrays["LayerNorm_0/bias"] = state["attn_pool.norm.bias"]
    for k in (0, 1):
        arrays[f"MlpBlock_0/Dense_{k}/kernel"] = state[f"attn_pool.mlp.fc{k + 1}.weight"].T
        arrays[f"MlpBlock_0/Dense_{k}/bias"] = state[f"attn_pool.mlp.fc{k + 1}.bias"]
    return {f"MAPHead_0/{name}": value.numpy() for name, value in arrays.items()}


def scanned(arrays):
    """One tensor for all blocks, with big_vision's numbers of their modules."""
    numbers = {"LayerNorm_2": "LayerNorm_1", "MlpBlock_3": "MlpBlock_0",
               "MultiHeadDotProductAttention_1": "MultiHeadDotProductAttention_0"}
    plain, blocks = {}, {}
    for name, value in arrays.items():
        block = re.sub(r"encoderblock_\d+/", "encoderblock/", name)
        if block == name:
            plain[name] = value
            continue
        for old, new in numbers.items():
            block = block.replace(old, new)
        blocks.setdefault(block, []).append(value)
    return plain | {name: numpy.stack(values) for name, values in blocks.items()}


def main():
    net = fill(make(), torch).double()
    with torch.no_grad():
        logits = net(torch.from_numpy(images(32)))
    state = {name: value.float() for name, value in net.state_dict().items()}
    arrays = vit_npz(state | {"cls_token": torch.zeros(1)}, HEADS)
    del arrays["cls"]
    arrays["pos_embedding"] = arrays.pop("Transformer/posembed_input/pos_embedding")
    arrays = scanned(arrays) | pooling(state)
    rest = {"t": numpy.ones(1, "float32"), "b": numpy.ones(1, "float32"),
            "txt/Embed_0/embedding": numpy.ones((5, 4), "float32"),
            "txt/Encoder_0/encoderblock/LayerNorm_0/scale": numpy.ones((2, 4), "float32")}
    numpy.savez_compressed(HERE / "big_vision_siglip.npz", **{
        f"params/{name}": numpy.ascontiguousarray(value)
        for name, value in (rest | {f"img/{n}": v for n, v in arrays.items()}).items()})
    other = make()
    other.load_pretrained(str(HERE / "big_vision_siglip.npz"))
    for name, value in other.state_dict().items():
        assert torch.equal(value, state[name]), name
    all_logits = load_file(HERE / "logits.safetensors") | {"big_vision_siglip": logits}
    save_file({n: v.contiguous() for n, v in all_logits.items()},
              HERE / "logits.safetensors")


main()
