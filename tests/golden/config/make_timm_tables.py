#!/usr/bin/env python3
"""Writes what timm knows of models and of its own arguments.

    python3 make_timm_tables.py MODELS TRAIN_PY

MODELS has the name of a model on each line (`vitrain models`); TRAIN_PY is
timm's train.py, which its wheel leaves out. Needs timm, torch and torchvision
(1.0.31, 2.11 and 0.26 made the committed files). Writes

- lib/config/foreign/published_weights.inc: how timm and torchvision prepare
  images for each of their weights of these models, and for timm's models
  without weights;
- lib/config/foreign/timm_defaults.inc: models whose class has stochastic depth
  where drop_path is not given, and models and weights whose classifier has
  not 1000 outputs where num_classes is not given;
- timm_args/NAME.yaml beside this script: args.yaml as train.py writes it, of
  RECIPES and of no arguments at all (defaults.yaml).
"""

import argparse
import ast
import collections
import math
import os
import pathlib
import re
import sys
import textwrap

import timm
import torch
import torchvision
import yaml
from timm.layers import DropPath
from timm.models import get_pretrained_cfg, is_model

HERE = pathlib.Path(__file__).resolve().parent
FOREIGN = HERE.parents[2] / "lib" / "config" / "foreign"
PUBLISHED = FOREIGN / "published_weights.inc"
DEFAULTS = FOREIGN / "timm_defaults.inc"


# Commands as they are published and used.
RECIPES = {
    "defaults": "",
    "resnet50_sgd": """/data/imagenet --model resnet50 --opt momentum --lr 0.5
        --weight-decay 5e-5 --epochs 90 --warmup-epochs 5 --warmup-lr 1e-4
        --warmup-prefix --sched cosine --smoothing 0.1 --batch-size 128 --amp
        --amp-dtype bfloat16 --workers 8 --channels-last --pin-mem
        --experiment rn50/sgd""",
    "resnet50_a2": """--data-dir /data/imagenet --model resnet50 -b 256
        --opt lamb --lr 5e-3 --weight-decay 0.02 --epochs 300 --sched cosine
        --warmup-epochs 5 --cooldown-epochs 10 --bce-loss
        --bce-target-thresh 0.2 --mixup 0.1 --cutmix 1.0
        --aa rand-m7-mstd0.5-inc1 --drop-path 0.05 --aug-repeats 3
        --smoothing 0.0 --crop-pct 0.95 --train-interpolation bicubic
        --amp --seed 0""",
    "deit_small": """--data-dir /data/imagenet
        --model deit_small_patch16_224 -b 128 -vb 256 --opt adamw
        --opt-eps 1e-8 --lr-base 5e-4 --lr-base-size 512
        --lr-base-scale linear --weight-decay 0.05 --epochs 300
        --warmup-lr 1e-6 --min-lr 1e-5 --sched-on-updates
        --aa rand-m9-mstd0.5-inc1 --reprob 0.25 --remode pixel --mixup 0.8
        --cutmix 1.0 --drop-path 0.1 --aug-repeats 3 --model-ema
        --model-ema-decay 0.99996 --clip-grad 1.0 --log-wandb""",
    "swin_tiny_finetune": """--data-dir /data/pets --model
        swin_tiny_patch4_window7_224.ms_in1k --pretrained --num-classes 37
        --opt adamw --opt-betas 0.9 0.98 --lr 1e-4 --layer-decay 0.75
        --weight-decay 0.02 --epochs 30 --sched step --decay-epochs 10
        --decay-rate 0.2 --warmup-epochs 0 --aa 3a --color-jitter 0.3
        --scale 0.5 1.0 --ratio 1.0 1.0 --train-split training
        --grad-accum-steps 2 --mean 0.5 0.5 0.5 --std 0.5 0.5 0.5
        --sync-bn --checkpoint-hist 3 --val-interval 2""",
    "cifar": """--dataset torch/cifar10 --data-dir /data/cifar --model
        vit_tiny_patch16_224 --img-size 32 --no-aug --sched multistep
        --decay-milestones 10 20 --epochs 30 --opt sgd --bce-loss
        --smoothing 0 --device cpu --output runs/timm""",
}


def numbers(values):
    return "{" + ", ".join(repr(float(v)) for v in values) + "}"


def entry(name, cfg, default):
    """A row's entry: [*]NAME[=REPOSITORY][:FILE]; * marks the default weights
    of a network (also where it has none), REPOSITORY is left out if it is
    timm/NAME, FILE is what torch's hub cache calls the weights."""
    text = ("*" if default else "") + name
    if "." in name and cfg.hf_hub_id != f"timm/{name}":
        text += "=" + (cfg.hf_hub_id or "")
    return text + (":" + os.path.basename(cfg.url) if cfg.url else "")


def torchvision_weights(models):
    """The weights that torchvision has for these networks."""
    text = (FOREIGN / "torchvision_translate.cpp").read_text()
    renamed = dict(re.findall(r'\{"(\w+)", "(\w+)"\}', text))
    for model in torchvision.models.list_models(torchvision.models):
        if renamed.get(model, model) in models:
            yield from torchvision.models.get_model_weights(model)


def crop_share(size, resized):
    """The share of which floor(size / share) is the size resized to."""
    share = size / resized
    while math.floor(size / share) < resized:
        share = math.nextafter(share, 0)
    return share


def published(models):
    groups = collections.defaultdict(list)

    def add(cfg, name, default):
        def side(size):
            return size[1] if size else 0

        groups[(
            side(cfg.input_size),
            side(cfg.test_input_size),
            cfg.crop_pct,
            cfg.test_crop_pct or 0,
            cfg.crop_mode,
            cfg.interpolation,
            tuple(cfg.mean),
            tuple(cfg.std),
        )].append(entry(name, cfg, default))

    for name in filter(is_model, models):
        first = get_pretrained_cfg(name)
        tags = timm.list_pretrained(f"{name}.*")
        if f"{name}.{first.tag}" not in tags:
            add(first, name, True)
        for tag in tags:
            add(get_pretrained_cfg(tag), tag, tag == f"{name}.{first.tag}")
    for weights in torchvision_weights(models):
        images = weights.transforms()
        size, = images.crop_size
        resized, = images.resize_size
        groups[(
            size,
            0,
            crop_share(size, resized),
            0,
            "center",
            images.interpolation.value,
            tuple(images.mean),
            tuple(images.std),
        )].append(f"{weights}:{os.path.basename(weights.url)}")
    lines = ["// Generated by tests/golden/config/make_timm_tables.py."]
    for key, names in groups.items():
        *plain, crop_mode, interpolation, mean, std = key
        numbers_ = ", ".join(map(repr, plain))
        lines.append(f'{{{numbers_}, "{crop_mode}", "{interpolation}", '
                     f"{numbers(mean)}, {numbers(std)},")
        rows = textwrap.wrap(" ".join(names), 180, break_long_words=False,
                             break_on_hyphens=False)
        lines += [f' "{row}{"" if row is rows[-1] else " "}"' for row in rows]
        lines[-1] += "},"
    PUBLISHED.write_text("\n".join(lines) + "\n")
    print(f"{PUBLISHED.name}: {sum(map(len, groups.values()))} names")


def drop_path(name):
    """The largest rate of a model that is made as train.py makes it."""
    with torch.device("meta"):
        model = timm.create_model(name, drop_rate=0.0)
    rates = [module.drop_prob for module in model.modules()
             if isinstance(module, DropPath)]
    return round(max(rates, default=0.0), 6)


def defaults(models):
    groups = collections.defaultdict(list)
    for name in models:
        cfg = get_pretrained_cfg(name) if is_model(name) else None
        if cfg is None:
            continue
        rate = drop_path(name)
        if (rate, cfg.num_classes) != (0.0, 1000):
            groups[(rate, cfg.num_classes)].append(name)
        for weights in timm.list_pretrained(f"{name}.*"):
            outputs = get_pretrained_cfg(weights).num_classes
            if outputs != cfg.num_classes:
                groups[(rate, outputs)].append(weights)
    lines = ["// Generated by tests/golden/config/make_timm_tables.py."]
    for (rate, outputs), names in sorted(groups.items()):
        lines.append(f"{{{rate!r}, {outputs},")
        rows = textwrap.wrap(" ".join(names), 88)
        lines += [f' "{row}{"" if row is rows[-1] else " "}"' for row in rows]
        lines[-1] += "},"
    DEFAULTS.write_text("\n".join(lines) + "\n")
    print(f"{DEFAULTS.name}: {sum(map(len, groups.values()))} names")


class ParseKwargs(argparse.Action):
    """Stands for timm.utils.ParseKwargs: only defaults matter here."""


def parser_of(script):
    """The parser that the script makes, without running anything else."""
    tree = ast.parse(pathlib.Path(script).read_text())
    kept = [
        node for node in tree.body
        if isinstance(node, (ast.Assign, ast.Expr))
        and any(word in ast.unparse(node)
                for word in ("add_argument", "ArgumentParser", "exclusive_group"))
    ]
    code = ast.unparse(ast.Module(body=kept, type_ignores=[]))
    utils = type("utils", (), {"ParseKwargs": ParseKwargs})
    space = {"argparse": argparse, "utils": utils}
    exec(code, space)
    return space["parser"]


def main():
    models = pathlib.Path(sys.argv[1]).read_text().split()
    published(models)
    defaults(models)
    parser = parser_of(sys.argv[2])
    for name, command in RECIPES.items():
        arguments = vars(parser.parse_args(command.split()))
        text = yaml.safe_dump(arguments, default_flow_style=False)
        path = HERE / "timm_args" / f"{name}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        print(f"{path.name}: {len(arguments)} arguments")


if __name__ == "__main__":
    main()
