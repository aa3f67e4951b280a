#!/usr/bin/env python3
"""Adds transformers' DINOv2, SigLIP, RegNet and EfficientNet to the files of
make_files.py, and ViT, distilled DeiT, BEiT, Swin and MAE under the names that their
modules have since version 5.

Each is written from a small model of transformers with random weights (halves, in
which they are exact), and logits.safetensors gets what that model makes of the
images, in double precision. Needs torch 2.11, transformers 5.24, safetensors.
"""

import pathlib
import sys
import tempfile

import torch
import transformers
from safetensors.torch import load_file, save_file

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from make_files import CLASSES, fill, images

WIDTH = 16
TOKENS = dict(hidden_size=WIDTH, num_hidden_layers=2, num_attention_heads=2,
              image_size=32, patch_size=8)
LOGITS = {}


def weights_of(model):
    return {name: value.half() if value.is_floating_point() else value
            for name, value in model.state_dict().items()}


def write(case, state):
    save_file({name: value.contiguous() for name, value in state.items()},
              HERE / f"{case}.safetensors", {"format": "pt"})


def classified(case, model, size):
    """A model with a classifier."""
    batch = torch.from_numpy(images(size))
    with torch.no_grad():
        LOGITS[case] = fill(model, torch).double()(batch).logits
    write(case, weights_of(model))


def saved(model):
    """As save_pretrained() names them: as version 4 did."""
    with tempfile.TemporaryDirectory() as folder:
        model.float().save_pretrained(folder)
        names = load_file(pathlib.Path(folder) / "model.safetensors")
    return {name: value.half() for name, value in names.items()}


def features(case, model, features_of, prefix="", state_of=weights_of):
    """A model without one, or whose own is of other features: with a new one."""
    batch = torch.from_numpy(images(32))
    head = fill(torch.nn.Linear(WIDTH, CLASSES), torch).double()
    with torch.no_grad():
        LOGITS[case] = head(features_of(fill(model, torch).double(), batch))
    state = {prefix + name: value for name, value in state_of(model).items()}
    write(case, state | {
        f"classifier.{name}": value for name, value in weights_of(head).items()})


def of_modules():
    """As torch.save(model.state_dict()) has them, which save_pretrained() renames."""
    tokens = dict(num_labels=CLASSES, intermediate_size=4 * WIDTH, layer_norm_eps=1e-6,
                  **TOKENS)
    classified("transformers_5_vit", transformers.ViTForImageClassification(
        transformers.ViTConfig(**tokens)), 32)
    classified("transformers_5_deit", transformers.DeiTForImageClassificationWithTeacher(
        transformers.DeiTConfig(**tokens)), 32)
    classified("transformers_5_beit", transformers.BeitForImageClassification(
        transformers.BeitConfig(use_relative_position_bias=True, **tokens)), 32)
    classified("transformers_5_swin", transformers.SwinForImageClassification(
        transformers.SwinConfig(
            num_labels=CLASSES, image_size=224, embed_dim=4, depths=[2, 1, 1, 2],
            num_heads=[1, 1, 2, 2], window_size=7)), 224)
    mae = load_file(HERE / "transformers_mae.safetensors")
    with tempfile.TemporaryDirectory() as folder:
        transformers.ViTMAEConfig(
            image_size=32, patch_size=8, num_channels=1, hidden_size=8,
            num_hidden_layers=2, num_attention_heads=1, intermediate_size=24,
            **decoder_of(mae)).save_pretrained(folder)
        save_file(mae, pathlib.Path(folder) / "model.safetensors", {"format": "pt"})
        model = transformers.ViTMAEForPreTraining.from_pretrained(folder)
    save_file(model.state_dict(), HERE / "transformers_5_mae.safetensors",
              {"format": "pt"})


def decoder_of(mae):
    blocks = {name.split(".")[2] for name in mae if "decoder_layers" in name}
    wide, narrow = mae["decoder.decoder_layers.0.intermediate.dense.weight"].shape
    return dict(decoder_num_hidden_layers=len(blocks), decoder_hidden_size=narrow,
                decoder_intermediate_size=wide, decoder_num_attention_heads=1)


def main():
    # One under the names of the modules of version 5, as torch.save() has them.
    for case, config, make, state_of in (
            ("dinov2", transformers.Dinov2Config, transformers.Dinov2Model, weights_of),
            ("dinov2_with_registers", transformers.Dinov2WithRegistersConfig,
             transformers.Dinov2WithRegistersModel, saved)):
        features(f"transformers_{case}", make(config(mlp_ratio=4, **TOKENS)),
                 lambda net, batch: net(batch).last_hidden_state[:, 0], f"{case}.",
                 state_of)

    sides = dict(
        vision_config=dict(intermediate_size=4 * WIDTH, **TOKENS),
        text_config=dict(hidden_size=WIDTH, intermediate_size=8, num_hidden_layers=1,
                         num_attention_heads=1, vocab_size=5,
                         max_position_embeddings=4))
    features("transformers_siglip",
             transformers.SiglipModel(transformers.SiglipConfig(**sides)),
             lambda net, batch: net.vision_model(batch).pooler_output)
    classified("transformers_siglip_gap", transformers.SiglipForImageClassification(
        transformers.SiglipConfig(num_labels=CLASSES, **sides)), 32)

    for kind in "xy":
        classified(f"transformers_regnet{kind}", transformers.RegNetForImageClassification(
            transformers.RegNetConfig(
                num_labels=CLASSES, layer_type=kind, embedding_size=8, groups_width=8,
                hidden_sizes=[8, 16, 24, 32], depths=[1, 2, 1, 1])), 64)
    classified("transformers_efficientnet", transformers.EfficientNetForImageClassification(
        transformers.EfficientNetConfig(
            num_labels=CLASSES, image_size=64, width_coefficient=0.25,
            depth_coefficient=1.0, depth_divisor=4, hidden_dim=320,
            in_channels=[32, 16, 32, 48, 64, 80, 96],
            out_channels=[16, 32, 48, 64, 80, 96, 112],
            expand_ratios=[1, 2, 2, 2, 2, 2, 2])), 64)
    of_modules()
    file = HERE / "logits.safetensors"
    logits = load_file(file) | LOGITS
    save_file({name: value.contiguous() for name, value in logits.items()}, file)


if __name__ == "__main__":
    main()
