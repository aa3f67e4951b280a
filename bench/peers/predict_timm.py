#!/usr/bin/env python3
"""The peer of bench/compare_predict.sh: the loop of timm 1.0's inference.py.

usage: predict_timm.py weights MODEL FILE
       predict_timm.py predict MODEL WEIGHTS FOLDER CSV [--batch N] [--workers N] [--threads N]

`weights` writes random weights for both sides. `predict` makes model, data set and
loader with the calls and defaults of inference.py, writes the five most probable
classes of each image, and prints the seconds of the loop.
"""

import argparse
import csv
import time

import safetensors.torch
import timm
import torch
from timm.data import create_dataset, create_loader, resolve_data_config


def write_weights(args):
    torch.manual_seed(0)
    model = timm.create_model(args.model, num_classes=1000)
    safetensors.torch.save_file(
        {name: tensor.contiguous() for name, tensor in model.state_dict().items()},
        args.weights)


def predict(args):
    torch.set_num_threads(args.threads)
    model = timm.create_model(args.model, num_classes=1000)
    model.load_state_dict(safetensors.torch.load_file(args.weights))
    config = resolve_data_config({}, model=model)
    model = model.eval()
    dataset = create_dataset(root=args.folder, name="")
    loader = create_loader(
        dataset, batch_size=args.batch, use_prefetcher=True, num_workers=args.workers,
        device=torch.device("cpu"), img_dtype=torch.float32, **config)
    names = loader.dataset.filenames(basename=False)
    values, indices = [], []
    start = time.perf_counter()
    with torch.no_grad():
        for images, _ in loader:
            probabilities = model(images).softmax(-1)
            value, index = probabilities.topk(5)
            values.append(value.cpu())
            indices.append(index.cpu())
    values, indices = torch.cat(values).tolist(), torch.cat(indices).tolist()
    with open(args.csv, "w", newline="") as file:
        table = csv.writer(file)
        for name, best, shares in zip(names, indices, values):
            table.writerow([name, *best, *shares])
    print(f"{time.perf_counter() - start:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    verbs = parser.add_subparsers(required=True)
    weights = verbs.add_parser("weights")
    weights.set_defaults(run=write_weights)
    weights.add_argument("model")
    weights.add_argument("weights")
    predicts = verbs.add_parser("predict")
    predicts.set_defaults(run=predict)
    for name in ("model", "weights", "folder", "csv"):
        predicts.add_argument(name)
    predicts.add_argument("--batch", type=int, default=256)
    predicts.add_argument("--workers", type=int, default=2)
    predicts.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
