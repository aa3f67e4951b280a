#!/usr/bin/env python3
"""The peer of bench/compare_train_cpu.sh: timm's VisionTransformer, PyTorch DDP,
images through Pillow 13.0.0 (peer.sh).

Started by torch.distributed.run, one process per rank, over Gloo. Writes one
JSON object per optimizer step to --metrics, with the names that vitrain uses:
step (from 1), loss, lr, step_seconds, and in the first one
start_begin_seconds and start_end_seconds: from PEER_START (seconds since 1970,
set by the caller) to the begin and the end of the first step.

With --export DIR rank 0 writes what another trainer needs to repeat the run:
model.safetensors (initial weights) and cifar/ (the batches in order, in
CIFAR-10's binary format); it then trains on these pixels without augmentation.
"""

import argparse
import json
import os
import pathlib
import random
import time

import numpy
import torch
import torch.distributed
from PIL import Image
from timm.models.vision_transformer import VisionTransformer
from timm.optim import param_groups_weight_decay
from torch.nn.parallel import DistributedDataParallel
from torchvision import datasets, transforms

MEAN = (0.4914, 0.4822, 0.4465)
STD = (0.2470, 0.2435, 0.2616)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True, help="folder with train/<class>/")
    parser.add_argument("--metrics", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--batch", type=int, default=64, help="per rank")
    parser.add_argument("--loader_workers", type=int, default=1)
    parser.add_argument("--precision", choices=["fp32", "bf16"], default="fp32")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--warmup", type=int, default=10, help="steps")
    parser.add_argument("--warmup_lr", type=float, default=1e-6)
    parser.add_argument("--weight_decay", type=float, default=0.05)
    parser.add_argument("--patch", type=int, default=4)
    parser.add_argument("--dim", type=int, default=192)
    parser.add_argument("--depth", type=int, default=9)
    parser.add_argument("--heads", type=int, default=3)
    parser.add_argument("--mlp_ratio", type=float, default=2)
    parser.add_argument("--photos", action="store_true",
                        help="224 pixels, timm's own transform of training")
    parser.add_argument("--export", type=pathlib.Path)
    return parser.parse_args()


def make_model(args):
    return VisionTransformer(
        img_size=224 if args.photos else 32, patch_size=args.patch, embed_dim=args.dim,
        depth=args.depth, num_heads=args.heads, mlp_ratio=args.mlp_ratio,
        num_classes=1000 if args.photos else 10)


def small_transform():
    return transforms.Compose([
        transforms.RandomCrop(32, padding=4),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize(MEAN, STD),
    ])


def photo_transform():
    """Returns random resized crop, bicubic, and flip, without colour jitter."""
    from timm.data import create_transform

    return create_transform(
        224, is_training=True, color_jitter=None, interpolation="bicubic",
        mean=MEAN, std=STD)


def augmented_batches(args, rank, world):
    """Returns a DataLoader over the JPEG folder, with random crops and flips."""
    dataset = datasets.ImageFolder(
        os.path.join(args.data, "train"),
        photo_transform() if args.photos else small_transform())
    sampler = torch.utils.data.DistributedSampler(
        dataset, num_replicas=world, rank=rank, shuffle=True, drop_last=True)
    return torch.utils.data.DataLoader(
        dataset, batch_size=args.batch, sampler=sampler, drop_last=True,
        num_workers=args.loader_workers,
        persistent_workers=args.loader_workers > 0)


def epochs_of(loader):
    """Yields batches without end, with a new permutation in each epoch."""
    epoch = 0
    while True:
        loader.sampler.set_epoch(epoch)
        yield from loader
        epoch += 1


def chosen_images(args, world):
    """Returns pixels [n, 3, 32, 32], labels and class names of an exported run, in order."""
    dataset = datasets.ImageFolder(os.path.join(args.data, "train"))
    order = list(range(len(dataset)))
    random.Random(0).shuffle(order)
    order = order[: args.steps * args.batch * world]
    pixels = numpy.empty((len(order), 3, 32, 32), numpy.uint8)
    labels = numpy.empty(len(order), numpy.uint8)
    for row, index in enumerate(order):
        path, label = dataset.samples[index]
        with Image.open(path) as image:
            pixels[row] = numpy.asarray(image.convert("RGB")).transpose(2, 0, 1)
        labels[row] = label
    return pixels, labels, dataset.classes


def export(folder, model, pixels, labels, classes):
    from safetensors.torch import save_file

    cifar = folder / "cifar"
    cifar.mkdir(parents=True, exist_ok=True)
    save_file(
        {name: tensor.contiguous() for name, tensor in model.state_dict().items()},
        str(folder / "model.safetensors"))
    records = numpy.concatenate(
        [labels[:, None], pixels.reshape(len(pixels), -1)], axis=1)
    (cifar / "data_batch_1.bin").write_bytes(records.tobytes())
    (cifar / "test_batch.bin").write_bytes(records[:100].tobytes())
    (cifar / "batches.meta.txt").write_text("".join(c + "\n" for c in classes))


def exported_batches(args, rank, world, pixels, labels):
    """Yields the rank's part of each global batch: its rows from rank * batch on."""
    mean = torch.tensor(MEAN).view(1, 3, 1, 1)
    std = torch.tensor(STD).view(1, 3, 1, 1)
    for step in range(args.steps):
        first = (step * world + rank) * args.batch
        rows = slice(first, first + args.batch)
        images = torch.from_numpy(pixels[rows]).float().div(255)
        yield (images - mean) / std, torch.from_numpy(labels[rows]).long()


def learning_rate(args, step):
    """Linear warm-up, then constant; step 0 is the first."""
    if step >= args.warmup:
        return args.lr
    return args.warmup_lr + (args.lr - args.warmup_lr) * step / args.warmup


def train(args, batches, model, optimizer, world, out):
    """Runs the steps. The time of a step includes waiting for its batch."""
    start = float(os.environ.get("PEER_START", time.time()))
    autocast = torch.autocast(
        "cpu", dtype=torch.bfloat16, enabled=args.precision == "bf16")
    cross_entropy = torch.nn.CrossEntropyLoss()
    begun = time.time()
    for step in range(args.steps):
        images, labels = next(batches)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(args, step)
        with autocast:
            loss = cross_entropy(model(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        ended = time.time()
        record = {"kind": "train", "step": step + 1,
                  "lr": learning_rate(args, step),
                  "step_seconds": ended - begun,
                  "images_per_second": args.batch * world / (ended - begun)}
        if step == 0:
            record["start_begin_seconds"] = begun - start
            record["start_end_seconds"] = ended - start
        begun = ended
        if args.export:
            mean = loss.detach().double() / world
            torch.distributed.all_reduce(mean)
            record["loss"] = mean.item()
        if out:
            out.write(json.dumps(record) + "\n")


def main():
    args = parse_arguments()
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    world = torch.distributed.get_world_size()
    torch.manual_seed(0)
    model = make_model(args)
    if args.export:
        pixels, labels, classes = chosen_images(args, world)
        if rank == 0:
            export(args.export, model, pixels, labels, classes)
        batches = exported_batches(args, rank, world, pixels, labels)
    else:
        batches = epochs_of(augmented_batches(args, rank, world))
    torch.manual_seed(1 + rank)
    # Its buckets are the same as vitrain's: 1 MiB, then 25 MiB.
    parallel = DistributedDataParallel(model, gradient_as_bucket_view=True)
    optimizer = torch.optim.AdamW(
        param_groups_weight_decay(
            model, args.weight_decay, model.no_weight_decay()),
        lr=args.lr, fused=True)
    parallel.train()
    out = open(args.metrics, "w") if rank == 0 else None
    train(args, batches, parallel, optimizer, world, out)
    if out:
        out.close()
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
