"""Images/s of torch's DataLoader into the first GPU. Prints a JSON object.

A folder of JPEG files, torchvision's random resized crop (bicubic) to 224 pixels
and flip on PIL images; bytes are copied to the device from pinned memory and
normalised there, as in timm's loader.
"""

import argparse
import itertools
import json
import time

import torch
from torchvision import datasets
from torchvision.transforms import InterpolationMode, v2


def endless(loader):
    while True:
        yield from loader


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--workers", type=int, required=True)
    parser.add_argument("--batches", type=int, required=True)
    parser.add_argument("--skip", type=int, required=True)
    args = parser.parse_args()
    change = v2.Compose([
        v2.RandomResizedCrop(224, interpolation=InterpolationMode.BICUBIC, antialias=True),
        v2.RandomHorizontalFlip(), v2.PILToTensor()])
    files = datasets.ImageFolder(args.data, change)
    # Few files are repeated, so that an epoch has a batch for each worker.
    times = -(-args.batch * max(1, args.workers) // len(files))
    loader = torch.utils.data.DataLoader(
        torch.utils.data.ConcatDataset([files] * times), args.batch, shuffle=True, drop_last=True,
        num_workers=args.workers, pin_memory=True, persistent_workers=args.workers > 0)
    mean = torch.tensor([0.485, 0.456, 0.406], device="cuda").view(1, 3, 1, 1)
    std = torch.tensor([0.229, 0.224, 0.225], device="cuda").view(1, 3, 1, 1)
    batches = itertools.islice(endless(loader), args.batches)
    for index, (images, _) in enumerate(batches):
        images.cuda(non_blocking=True).float().div_(255).sub_(mean).div_(std)
        if index + 1 == args.skip:
            torch.cuda.synchronize()
            begun = time.perf_counter()
    torch.cuda.synchronize()
    print(json.dumps({
        "images/s": args.batch * (args.batches - args.skip) / (time.perf_counter() - begun)}))


if __name__ == "__main__":
    main()
