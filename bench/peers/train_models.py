#!/usr/bin/env python3
"""The peer of bench/compare_models_cpu.sh: a training step of a timm model.

One process on this machine's CPU: forward (under autocast in bf16), cross
entropy, backward, clipping, fused AdamW, on batches of random pixels that are
generated before the first step. Writes a JSON object per step to --metrics, with the
names that vitrain uses.
"""

import argparse
import json
import time

import timm
import torch


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="a name of timm, or small_vit")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--precision", choices=["fp32", "bf16"], required=True)
    parser.add_argument("--way", choices=["eager", "channels_last", "compile"],
                        required=True, help="compile: in channels_last for "
                        "convolutional models, else as they are")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--metrics", required=True)
    return parser.parse_args()


def make_model(name):
    """Returns (model, image size, classes). small_vit: configs/bench_vit_cifar.yaml."""
    if name != "small_vit":
        return timm.create_model(name), 224, 1000
    from timm.models.vision_transformer import VisionTransformer

    return VisionTransformer(
        img_size=32, patch_size=4, embed_dim=192, depth=9, num_heads=3,
        mlp_ratio=2, num_classes=10), 32, 10


def is_convolutional(model):
    """Returns true if the model has convolutions other than the patch embedding."""
    convolutions = [m for m in model.modules() if isinstance(m, torch.nn.Conv2d)]
    return len(convolutions) > 1


def main():
    args = parse_arguments()
    torch.set_num_threads(args.threads)
    torch.manual_seed(0)
    model, size, classes = make_model(args.model)
    model.train()
    batches = [(torch.randn(args.batch, 3, size, size),
                torch.randint(0, classes, (args.batch,))) for _ in range(4)]
    if args.way == "channels_last" or (
            args.way == "compile" and is_convolutional(model)):
        model = model.to(memory_format=torch.channels_last)
        batches = [(x.contiguous(memory_format=torch.channels_last), y)
                   for x, y in batches]
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(
        parameters, lr=1e-4, weight_decay=0.05, fused=True)
    if args.way == "compile":
        model = torch.compile(model)
    cross_entropy = torch.nn.CrossEntropyLoss()
    autocast = torch.autocast(
        "cpu", dtype=torch.bfloat16, enabled=args.precision == "bf16")
    with open(args.metrics, "w") as out:
        begun = time.perf_counter()
        for step in range(args.steps):
            images, labels = batches[step % len(batches)]
            with autocast:
                loss = cross_entropy(model(images), labels)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            loss.item()  # waits, like a trainer that stops at a non-finite loss
            ended = time.perf_counter()
            out.write(json.dumps({
                "kind": "train", "step": step + 1,
                "step_seconds": ended - begun,
                "images_per_second": args.batch / (ended - begun)}) + "\n")
            begun = ended


if __name__ == "__main__":
    main()
