"""The peers of compare_load_weights.sh: writes the files, or loads one.

usage: load_weights.py write FOLDER | load FILE
"""

import pathlib
import statistics
import sys
import time

import numpy
import safetensors.torch
import timm
import torch


def state_of(path):
    if path.suffix == ".safetensors":
        return safetensors.torch.load_file(path)
    if path.suffix == ".npz":
        with numpy.load(path) as arrays:
            return {name: torch.from_numpy(arrays[name]) for name in arrays}
    return torch.load(path, weights_only=True)


def main():
    torch.set_num_threads(2)
    model = timm.create_model("vit_base_patch16_224")
    verb, path = sys.argv[1], pathlib.Path(sys.argv[2])
    if verb == "write":
        state = model.state_dict()
        safetensors.torch.save_file(state, path / "vit.safetensors")
        torch.save(state, path / "vit.pth")
        torch.save(state, path / "vit_legacy.pth", _use_new_zipfile_serialization=False)
        numpy.savez(path / "vit.npz", **{n: t.numpy() for n, t in state.items()})
        return
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        model.load_state_dict(state_of(path))
        seconds.append(time.perf_counter() - start)
    print(statistics.median(seconds))


if __name__ == "__main__":
    main()
