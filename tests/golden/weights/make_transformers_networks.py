#!/usr/bin/env python3
"""Writes transformers_networks.json: config.json of transformers' networks, and
timm's names of them.

Needs timm, torch and transformers (1.0.31, 2.11 and 5.24.0 made the committed
file). Checks that the networks of both have equally many parameters.
"""

import json
import pathlib

import timm
import torch
import transformers
from transformers import (
    AutoModel, AutoModelForImageClassification, BeitConfig, ConvNextConfig,
    ConvNextV2Config, DeiTConfig, Dinov2Config, Dinov2WithRegistersConfig,
    EfficientNetConfig, LevitConfig, MobileViTConfig, MobileViTV2Config,
    PoolFormerConfig, ResNetConfig, SwinConfig, Swinv2Config, ViTConfig,
    ViTMAEConfig)

LARGE = dict(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16,
             intermediate_size=4096)
SMALL = dict(hidden_size=384, num_attention_heads=6, intermediate_size=1536)
BEIT = dict(use_relative_position_bias=True)
NETWORKS = [
    (ViTConfig(), "vit_base_patch16_224"),
    (ViTConfig(**LARGE, patch_size=32, image_size=384),
     "vit_large_patch32_384"),
    (ViTConfig(**SMALL), "vit_small_patch16_224"),
    (DeiTConfig(**SMALL), "deit_small_distilled_patch16_224"),
    (BeitConfig(**BEIT), "beit_base_patch16_224"),
    (BeitConfig(**LARGE, **BEIT, image_size=384), "beit_large_patch16_384"),
    (Dinov2Config(image_size=518), "vit_base_patch14_dinov2"),
    (Dinov2WithRegistersConfig(image_size=518, patch_size=14),
     "vit_base_patch14_reg4_dinov2"),
    (SwinConfig(), "swin_tiny_patch4_window7_224"),
    (SwinConfig(embed_dim=128, depths=[2, 2, 18, 2], num_heads=[4, 8, 16, 32],
                window_size=12, image_size=384),
     "swin_base_patch4_window12_384"),
    (Swinv2Config(window_size=8, image_size=256), "swinv2_tiny_window8_256"),
    (Swinv2Config(embed_dim=128, depths=[2, 2, 18, 2],
                  num_heads=[4, 8, 16, 32], window_size=24, image_size=384,
                  pretrained_window_sizes=[12, 12, 12, 6]),
     "swinv2_base_window12to24_192to384"),
    (ConvNextConfig(), "convnext_tiny"),
    (ConvNextConfig(depths=[3, 3, 27, 3]), "convnext_small"),
    (ConvNextV2Config(hidden_sizes=[80, 160, 320, 640], depths=[2, 2, 8, 2]),
     "convnextv2_nano"),
    (ResNetConfig(), "resnet50"),
    (ResNetConfig(depths=[2, 2, 2, 2], layer_type="basic",
                  hidden_sizes=[64, 128, 256, 512]), "resnet18"),
    (MobileViTConfig(), "mobilevit_s"),
    (MobileViTV2Config(), "mobilevitv2_100"),
    (EfficientNetConfig(width_coefficient=1.0, depth_coefficient=1.1,
                        image_size=240, hidden_dim=1280),
     "tf_efficientnet_b1"),
    (PoolFormerConfig(), "poolformer_s12"),
    (LevitConfig(), "levit_128"),
    (ViTMAEConfig(), None),  # "mae_vit_base_patch16", which timm has not
]


def count(model):
    return sum(p.numel() for p in model.parameters())


def network(config):
    if config.model_type == "deit":
        return transformers.DeiTForImageClassificationWithTeacher(config)
    if config.model_type == "levit":
        return transformers.LevitForImageClassificationWithTeacher(config)
    if config.model_type.startswith("dinov2"):  # timm's has no classifier
        return AutoModel.from_config(config)
    return AutoModelForImageClassification.from_config(config)


def main():
    rows = []
    for config, name in NETWORKS:
        config.num_labels = 1000
        text = json.loads(config.to_json_string())
        text.pop("id2label"), text.pop("label2id")
        if config.model_type == "deit":
            text["architectures"] = ["DeiTForImageClassificationWithTeacher"]
        if name:
            with torch.device("meta"):
                own = timm.create_model(name)
                model = network(config)
            # DINOv2's mask token is for training alone; with registers, timm
            # adds the class token's position to the token.
            unused = 768 * {"dinov2": 1, "dinov2_with_registers": 2}.get(
                config.model_type, 0)
            assert count(own) == count(model) - unused, name
        rows.append({"name": name or "mae_vit_base_patch16", "config": text})
    path = pathlib.Path(__file__).with_name("transformers_networks.json")
    path.write_text("\n".join(
        ["["] + [json.dumps(row) + ("" if row is rows[-1] else ",")
                 for row in rows] + ["]"]) + "\n")


if __name__ == "__main__":
    main()
