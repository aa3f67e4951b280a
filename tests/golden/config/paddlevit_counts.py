#!/usr/bin/env python3
"""Counts the parameters of every model that PaddleViT's YAML files describe.

Runs PaddleViT's own code, folder by folder, and writes paddlevit_files.csv
beside this script: file, family (its folder), model (the function that builds
it), parameters that need gradients, or why the model cannot be built.

    python3 -m venv venv
    venv/bin/pip install paddlepaddle==3.3.1 yacs pyyaml scipy
    venv/bin/python paddlevit_counts.py PaddleViT/image_classification

bench/paddlevit_files.sh compares vitrain with the file.
"""

import argparse
import csv
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys

OUTPUT = pathlib.Path(__file__).with_name("paddlevit_files.csv")
COLUMNS = ["file", "family", "model", "parameters", "reason"]

# The module and function of a folder's main script that builds the model.
BUILDER = re.compile(r"^from (\w+) import (build_\w+) as build_model$", re.M)


def builder_of(folder, name, config):
    """(module, function) for one file; config: what the file sets."""
    model = config.get("MODEL", {})
    if folder.name == "DeiT":
        if model.get("TYPE") == "RegNet":
            return "regnet", "build_regnet"
        # main_multi_gpu_distill.py, which all its scripts with these files run
        kind = config.get("TRAIN", {}).get("DISTILLATION_TYPE", "hard")
        return "deit", "build_vit" if kind == "none" else "build_deit"
    if folder.name == "MAE":
        kind = "pretrain" if model.get("MAE_PRETRAIN") else "finetune"
        return "transformer", f"build_mae_{kind}"
    if folder.name == "ResT" and model.get("TYPE") != "rest":
        return "rest_v2", "build_restv2"
    for script in sorted(folder.glob("main*.py")):
        match = BUILDER.search(script.read_text())
        if match:
            return match.groups()
    raise ValueError(f"no script of {folder.name} builds a model")


def fill_with_zeros():
    """Parameters start at zero: drawing them takes minutes, and no count
    depends on it."""
    import paddle.nn.initializer as initializers

    zeros = initializers.Constant(0.0)
    for kind in vars(initializers).values():
        if isinstance(kind, type) and not isinstance(zeros, kind):
            if "forward" in vars(kind):
                kind.forward = lambda self, var, block=None: zeros.forward(
                    var, block
                )


def count(folder, name):
    """One file's row; runs in a process of its own, inside the folder."""
    import yaml

    with open(name) as file:
        module, function = builder_of(folder, name, yaml.safe_load(file))
    config = importlib.import_module("config").get_config(name)
    build = getattr(importlib.import_module(module), function)
    # regnet.py has its numbers in the code.
    model = build() if function == "build_regnet" else build(config)
    parameters = sum(
        parameter.size
        for parameter in model.parameters()
        if not parameter.stop_gradient
    )
    return {"model": function, "parameters": int(parameters)}


def worker(folder, names):
    """Prints a line of JSON for each file of one folder."""
    os.chdir(folder)
    sys.path.insert(0, ".")
    fill_with_zeros()
    for name in names:
        try:
            row = count(pathlib.Path(folder), name)
        except Exception as error:  # whatever PaddleViT's code raises
            text = " ".join(str(error).split())
            row = {"reason": f"{type(error).__name__}: {text[:120]}"}
        print("ROW " + json.dumps({"file": name, **row}), flush=True)


def rows_of(folder):
    names = sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*.yaml")
    )
    if not names:
        return []
    run = subprocess.run(
        [sys.executable, "-B", __file__, "--worker", str(folder), *names],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    rows = [
        json.loads(line[4:])
        for line in run.stdout.splitlines()
        if line.startswith("ROW ")
    ]
    for name in names[len(rows):]:
        rows.append({"file": name, "reason": f"the process ended with {run.returncode}"})
    for row in rows:
        row["file"] = f"{folder.name}/{row['file']}"
        row["family"] = folder.name
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--worker", action="store_true", help="internal")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    if arguments.worker:
        worker(arguments.folder, arguments.names)
        return
    rows = []
    for folder in sorted(arguments.folder.resolve().iterdir()):
        if folder.is_dir():
            rows += rows_of(folder)
            print(f"{folder.name}: {len(rows)} files so far", file=sys.stderr)
    with open(OUTPUT, "w", newline="") as file:
        writer = csv.DictWriter(
            file, COLUMNS, restval="", lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
