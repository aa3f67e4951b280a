#!/usr/bin/env python3
"""Writes layers.json beside this file: timm's layers for layer decay.

Needs timm 1.0.31:  python3 make_layers.py

For a network of each family that vitrain and timm share: the layer of every
parameter, said once for all whose names begin alike ("" is everything), and
the groups that timm.optim.param_groups_layer_decay makes: layer, whether it
decays, factor of the learning rate, number of values.
"""

import json
import pathlib

import timm
from timm.models import group_parameters
from timm.optim import param_groups_layer_decay
from timm.optim._param_groups import auto_group_layers

HERE = pathlib.Path(__file__).resolve().parent
MODELS = [
    "vit_tiny_patch16_224", "vit_base_patch16_xp_224",
    "vit_dpwee_patch16_reg1_gap_256", "vit_dwee_patch16_reg1_gap_256",
    "vit_small_patch16_18x2_224", "vit_base_patch16_rpn_224", "deit_tiny_distilled_patch16_224",
    "beit_base_patch16_224", "swin_tiny_patch4_window7_224",
    "swinv2_tiny_window8_256", "convnext_atto", "resnet18", "resnet50d",
    "resnetrs50", "resnetv2_18d", "resnetv2_50x1_bit",
    "efficientnet_b0", "tf_efficientnetv2_b0", "mobilenetv2_050", "mobilenetv3_small_050", "ghostnet_050", "densenet121",
    "vgg11_bn", "inception_v3", "regnetx_002", "mobileone_s0",
    "mobilevit_xxs", "mobilevitv2_050", "halonet26t", "botnet26t_256", "cait_xxs24_224", "coat_tiny",
    "coat_lite_tiny", "convmixer_768_32", "crossvit_tiny_240", "levit_128s",
    "mixer_s32_224", "pit_ti_224", "pit_ti_distilled_224", "poolformer_s12",
    "poolformerv2_s12", "pvt_v2_b0", "volo_d1_224", "xcit_nano_12_p16_224",
]
LAYER_DECAY = 0.75


def compressed(layers):
    """The shortest prefixes, at dots, whose parameters share a layer."""
    result = {}

    def visit(prefix, names):
        found = {layers[name] for name in names}
        if len(found) == 1:
            result[prefix] = found.pop()
            return
        parts = {}
        for name in names:
            rest = name[len(prefix) + 1:] if prefix else name
            first = rest.split(".")[0]
            parts.setdefault(f"{prefix}.{first}" if prefix else first,
                             []).append(name)
        for part, inner in parts.items():
            visit(part, inner)

    visit("", list(layers))
    return result


def main():
    result = {}
    for name in MODELS:
        model = timm.create_model(name, num_classes=10)
        if hasattr(model, "group_matcher"):
            layers = group_parameters(
                model, model.group_matcher(coarse=False), reverse=True)
        else:
            layers = auto_group_layers(model)
        groups = param_groups_layer_decay(
            model, weight_decay=0.05, layer_decay=LAYER_DECAY,
            no_weight_decay_list=())
        names = {id(p): n for n, p in model.named_parameters()}
        result[name] = {
            "layers": compressed(layers),
            "groups": sorted(
                [layers[names[id(group["params"][0])]],
                 group["weight_decay"] > 0, group["lr_scale"],
                 sum(p.numel() for p in group["params"])]
                for group in groups),
        }
    text = json.dumps(
        {"layer_decay": LAYER_DECAY, "models": result},
        separators=(",", ":"))
    (HERE / "layers.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
