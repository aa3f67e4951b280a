"""The peer of compare_save.sh: prints how long vitrain waited for the checkpoints of a
run, then torch.save of the last one's tensors.

usage: save_state.py RUNS COUNT
"""

import json
import pathlib
import sys
import time

import safetensors.torch
import torch


def main():
    run = next(pathlib.Path(sys.argv[1]).iterdir())
    count = int(sys.argv[2])
    torch.set_num_threads(2)
    records = [json.loads(line) for line in open(run / "metrics.jsonl")]
    steps = sum(r["step_seconds"] * 10 for r in records if r["kind"] == "train")
    per_save = 100 * steps / max(r["step"] for r in records if r["kind"] == "train")
    for record in [r for r in records if r["kind"] == "checkpoint"][:count]:
        print("vitrain", record["blocked_seconds"], per_save,
              "complete after", record["seconds"], flush=True)
    folder = next((run / "checkpoints").glob("step-*"))
    state = {name: safetensors.torch.load_file(folder / f"{name}.safetensors")
             for name in ("model", "optimizer")}
    state = {part: {name: tensor.clone() for name, tensor in tensors.items()}
             for part, tensors in state.items()}
    for _ in range(count):
        start = time.perf_counter()
        torch.save(state, run / "state.pth")
        print("torch.save", time.perf_counter() - start, flush=True)
    (run / "state.pth").unlink()


if __name__ == "__main__":
    main()
