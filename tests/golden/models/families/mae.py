#!/usr/bin/env python3
"""Writes mae.safetensors and mae.csv: masked autoencoders (He et al., CVPR 2022).

Losses and gradients are those of transformers' ViTMAEForPreTraining, in double
precision, with given noise in place of drawn masks. The authors' own code needs
a timm of 2021; how their networks start is written down here from its
description (a linear layer for the patches, Xavier for every linear layer,
normal tokens) with timm's layers. Needs torch 2.11, timm 1.0.31, transformers,
safetensors. For each case

  CASE/losses        of each image
  CASE/PARAMETER     of the gradient of their mean: see ../family_cases.py
  CASE/pos_embed, CASE/decoder_pos_embed   a sample of the positions themselves
  CASE/start/TENSOR  a weighted sum of what the constructor leaves after
                     torch.manual_seed(11)

and in mae.csv trained parameters and image size of each name. Beside them, in
tests/golden/weights, the weights of one case as transformers saves them, and
its encoder as the authors do (mae_pretrain_vit_base.pth has this layout):
FILE/losses is what transformers makes of that file.

    python3 tests/golden/models/families/mae.py
"""

import csv
import functools
import math
import pathlib
import sys
import tempfile

import torch
from safetensors.torch import load_file
from safetensors.torch import save_file
from timm.layers import PatchEmbed
from timm.models.vision_transformer import Block
from transformers import ViTMAEConfig, ViTMAEForPreTraining
from transformers.models.vit_mae.modeling_vit_mae import (
    build_2d_sinusoidal_position_embedding)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from make_fixtures import pattern, set_parameters, weighted_sum

HERE = pathlib.Path(__file__).resolve().parent
WEIGHTS = HERE.parents[1] / "weights"
IMAGES = 3
SAMPLE = 200  # values kept of a tensor

# Image size, patch, channels, encoder, decoder (width, depth, heads), MLP ratio,
# share of hidden patches, whether pixels are normalised.
CASES = {
    "mae": (40, 8, 3, (16, 2, 2), (12, 2, 3), 4, 0.75, True),
    "mae_pixels": (24, 4, 3, (12, 1, 3), (16, 1, 2), 2, 0.6, False),
    "mae_grey": (32, 8, 1, (8, 2, 1), (8, 3, 4), 3, 0.5, True),
}

NAMES = {
    "mae_vit_base_patch16": (224, 16, 3, (768, 12, 12), (512, 8, 16), 4, 0.75, True),
    "mae_vit_large_patch16": (224, 16, 3, (1024, 24, 16), (512, 8, 16), 4, 0.75, True),
    "mae_vit_huge_patch14": (224, 14, 3, (1280, 32, 16), (512, 8, 16), 4, 0.75, True),
}


class Authors(torch.nn.Module):
    """The tensors of the authors' network under their names, as they start."""

    def __init__(self, size, patch, channels, encoder, decoder, ratio, *_):
        super().__init__()
        norm = functools.partial(torch.nn.LayerNorm, eps=1e-6)
        blocks = lambda width, depth, heads: torch.nn.ModuleList(
            Block(width, heads, ratio, qkv_bias=True, norm_layer=norm)
            for _ in range(depth))
        self.patch_embed = PatchEmbed(size, patch, channels, encoder[0])
        self.cls_token = torch.nn.Parameter(torch.zeros(1, 1, encoder[0]))
        self.blocks = blocks(*encoder)
        self.norm = norm(encoder[0])
        self.decoder_embed = torch.nn.Linear(encoder[0], decoder[0])
        self.mask_token = torch.nn.Parameter(torch.zeros(1, 1, decoder[0]))
        self.decoder_blocks = blocks(*decoder)
        self.decoder_norm = norm(decoder[0])
        self.decoder_pred = torch.nn.Linear(decoder[0], patch * patch * channels)

    def start(self):
        with torch.no_grad():
            torch.nn.init.xavier_uniform_(
                self.patch_embed.proj.weight.flatten(1))
            self.cls_token.normal_(std=0.02)
            self.mask_token.normal_(std=0.02)
        self.apply(self.start_linear)

    @staticmethod
    def start_linear(module):
        if isinstance(module, torch.nn.Linear):
            torch.nn.init.xavier_uniform_(module.weight)
            torch.nn.init.zeros_(module.bias)


def positions(side, width):
    """Fixed ones of a square grid, the column first, zeros for the class token."""
    waves = torch.arange(width // 4, dtype=torch.float64) / (width // 4)
    waves = 1 / 10000 ** waves
    columns, rows = torch.meshgrid(
        torch.arange(side).double(), torch.arange(side).double(), indexing="xy")
    parts = []
    for place in (columns.flatten(), rows.flatten()):
        angles = place[:, None] * waves
        parts += [angles.sin(), angles.cos()]
    grid = torch.cat(parts, 1)
    theirs = build_2d_sinusoidal_position_embedding(
        side, side, width, dtype=torch.float64)
    # Theirs has the row first; they turn it round for the published weights.
    assert (grid.roll(width // 2, 1) - theirs).abs().max() < 1e-13
    return torch.cat([torch.zeros(1, width), grid.float()])[None]


def published(size, patch, channels, encoder, decoder, ratio, hidden, normalised):
    model = ViTMAEForPreTraining(ViTMAEConfig(
        image_size=size, patch_size=patch, num_channels=channels,
        hidden_size=encoder[0], num_hidden_layers=encoder[1],
        num_attention_heads=encoder[2], intermediate_size=encoder[0] * ratio,
        decoder_hidden_size=decoder[0], decoder_num_hidden_layers=decoder[1],
        decoder_num_attention_heads=decoder[2],
        decoder_intermediate_size=decoder[0] * ratio,
        layer_norm_eps=1e-6, mask_ratio=hidden, norm_pix_loss=normalised,
        attn_implementation="sdpa"))
    with torch.no_grad():  # transformers leaves zeros where no file is loaded
        for positions_of, width in (
                (model.vit.embeddings.position_embeddings, encoder[0]),
                (model.decoder.decoder_pos_embed, decoder[0])):
            if not positions_of.is_meta:
                positions_of.copy_(positions(size // patch, width))
    return model


# The authors' names of what is not in a block.
OUTSIDE = {
    "cls_token": "vit.embeddings.cls_token",
    "patch_embed.proj": "vit.embeddings.patch_embeddings.projection",
    "norm": "vit.layernorm",
    "decoder_embed": "decoder.decoder_embed",
    "mask_token": "decoder.mask_token",
    "decoder_norm": "decoder.decoder_norm",
    "decoder_pred": "decoder.decoder_pred",
    "blocks": "vit.layers",
    "decoder_blocks": "decoder.decoder_layers",
}
INSIDE = {
    "norm1": ["layernorm_before"],
    "norm2": ["layernorm_after"],
    "attn.qkv": ["attention.q_proj", "attention.k_proj", "attention.v_proj"],
    "attn.proj": ["attention.o_proj"],
    "mlp.fc1": ["mlp.fc1"],
    "mlp.fc2": ["mlp.fc2"],
}


def published_names(name):
    """The names in transformers of what one tensor has, put together by rows."""
    parts = name.split(".")
    if parts[0] in ("blocks", "decoder_blocks"):
        start = f"{OUTSIDE[parts[0]]}.{parts[1]}"
        return [f"{start}.{inside}.{parts[-1]}"
                for inside in INSIDE[".".join(parts[2:-1])]]
    if name in OUTSIDE:
        return [OUTSIDE[name]]
    return [f"{OUTSIDE['.'.join(parts[:-1])]}.{parts[-1]}"]


def noise_of(patches):
    """For each image a number for each patch; no two of an image are equal."""
    return torch.stack([
        (torch.arange(patches) * 7 + 3 * image).remainder(patches + 0.5)
        for image in range(IMAGES)]).double()


def summary(values):
    flat = values.flatten()
    step = max(1, math.ceil(flat.numel() / SAMPLE))
    return torch.cat(
        [flat[::step], torch.tensor([weighted_sum(flat)], dtype=flat.dtype)])


def write_case(name, numbers, tensors):
    torch.manual_seed(11)
    ours = Authors(*numbers)
    ours.start()
    for key, value in ours.state_dict().items():
        tensors[f"{name}/start/{key}"] = torch.tensor(
            [weighted_sum(value)], dtype=torch.float64)
    ours = ours.double()
    set_parameters(ours)
    theirs = published(*numbers).double().train()
    own = dict(theirs.named_parameters())
    used = {"vit.embeddings.position_embeddings", "decoder.decoder_pos_embed"}
    with torch.no_grad():
        for key, value in ours.named_parameters():
            names = published_names(key)
            used.update(names)
            for part, target in zip(value.chunk(len(names)), names):
                own[target].copy_(part)
    assert used == set(own), used ^ set(own)
    size, patch, channels = numbers[:3]
    images = pattern(IMAGES * channels * size * size, 1000).reshape(
        IMAGES, channels, size, size)
    noise = noise_of((size // patch) ** 2)
    for image in range(IMAGES):
        assert len(set(noise[image].tolist())) == noise.shape[1]
    losses = torch.stack([
        theirs(images[i:i + 1], noise=noise[i:i + 1]).loss
        for i in range(IMAGES)])
    loss = theirs(images, noise=noise).loss
    assert abs(loss - losses.mean()) < 1e-13
    loss.backward()
    tensors[f"{name}/losses"] = losses.detach()
    for key, value in ours.named_parameters():
        tensors[f"{name}/{key}"] = summary(torch.cat(
            [own[target].grad for target in published_names(key)]))
    for key, theirs_key in (
            ("pos_embed", "vit.embeddings.position_embeddings"),
            ("decoder_pos_embed", "decoder.decoder_pos_embed")):
        assert not own[theirs_key].requires_grad
        tensors[f"{name}/{key}"] = summary(own[theirs_key].detach())


def write_files(numbers, tensors):
    """In single precision, as files are."""
    ours = Authors(*numbers)
    set_parameters(ours)
    theirs = published(*numbers)
    own = dict(theirs.named_parameters())
    with torch.no_grad():
        for key, value in ours.named_parameters():
            names = published_names(key)
            for part, target in zip(value.chunk(len(names)), names):
                own[target].copy_(part)
    with tempfile.TemporaryDirectory() as folder:
        theirs.save_pretrained(folder)
        saved = load_file(pathlib.Path(folder) / "model.safetensors")
    # The published files, and transformers 4, call the decoder's blocks so.
    save_file({key.replace("decoder_encoder.layer.", "decoder_layers."): value
               for key, value in saved.items()},
              WEIGHTS / "transformers_mae.safetensors")
    encoder = {key: value for key, value in ours.state_dict().items()
               if not key.startswith(("decoder_", "mask_token"))}
    encoder["pos_embed"] = own["vit.embeddings.position_embeddings"].detach()
    torch.save({"model": encoder}, WEIGHTS / "original_mae.pth")
    size, patch, channels = numbers[:3]
    images = pattern(IMAGES * channels * size * size, 1000).reshape(
        IMAGES, channels, size, size)
    noise = noise_of((size // patch) ** 2)
    theirs = theirs.double()
    tensors["file/losses"] = torch.stack([
        theirs(images[i:i + 1], noise=noise[i:i + 1]).loss.detach()
        for i in range(IMAGES)])


def write_names():
    with open(HERE / "mae.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "parameters", "image_size"])
        for name, numbers in NAMES.items():
            with torch.device("meta"):
                model = published(*numbers)
            count = sum(value.numel() for value in model.parameters()
                        if value.requires_grad)
            writer.writerow([name, count, numbers[0]])


TENSORS = {}
for case, case_numbers in CASES.items():
    write_case(case, case_numbers, TENSORS)
write_files(CASES["mae_grey"], TENSORS)
save_file({key: value.contiguous() for key, value in TENSORS.items()},
          HERE / "mae.safetensors")
write_names()
