#!/usr/bin/env python3
"""Decodes and transforms training images with the peers' code, on one core.

usage: image_chain.py pil|tensor TAR CROPS [PIXELS]

  pil     Pillow 12.0.0's decoder (13 resizes some crops differently) and
          torchvision's transforms on PIL images, as in timm's loader
  tensor  torchvision's own decoder and its transforms on tensors (antialias)

Cuts the crops that bench/image_chain wrote to CROPS, resizes them to 224 x 224
with the bicubic filter and mirrors some. Prints the number of images and the
seconds of process time. If PIXELS is given, compares it with the results byte
by byte; a difference ends the program with exit code 1.
"""

import csv
import io
import sys
import tarfile
import time

import numpy
import torch
from PIL import Image
from torchvision.io import ImageReadMode, decode_jpeg
from torchvision.transforms import InterpolationMode
from torchvision.transforms import functional as F

SIZE = 224


def pil(data, left, top, width, height, mirrored):
    image = Image.open(io.BytesIO(data)).convert("RGB")
    image = F.resized_crop(image, top, left, height, width, [SIZE, SIZE],
                           InterpolationMode.BICUBIC)
    if mirrored:
        image = F.hflip(image)
    return numpy.asarray(image)


def tensor(data, left, top, width, height, mirrored):
    image = decode_jpeg(data, ImageReadMode.RGB)
    image = F.resized_crop(image, top, left, height, width, [SIZE, SIZE],
                           InterpolationMode.BICUBIC, antialias=True)
    return F.hflip(image) if mirrored else image


def main():
    kind, archive, crops = sys.argv[1:4]
    torch.set_num_threads(1)
    with tarfile.open(archive) as tar:
        files = [tar.extractfile(member).read() for member in tar if member.isfile()]
    with open(crops, newline="") as table:
        rows = [[int(field) for field in row] for row in csv.reader(table)]
    if kind == "tensor":
        files = [torch.frombuffer(bytearray(data), dtype=torch.uint8) for data in files]
    chain = {"pil": pil, "tensor": tensor}[kind]
    chain(files[0], *rows[0])  # imports and first allocations
    start = time.process_time()
    results = [chain(data, *row) for data, row in zip(files, rows)]
    print(len(results), time.process_time() - start)
    if len(sys.argv) > 4:
        ours = numpy.fromfile(sys.argv[4], numpy.uint8).reshape(-1, SIZE, SIZE, 3)
        different = [i for i, image in enumerate(results) if (image != ours[i]).any()]
        if different:
            sys.exit(f"{len(different)} of {len(results)} images differ, first {different[0]}")


if __name__ == "__main__":
    main()
