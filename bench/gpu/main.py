"""Runs the parts of bench/gpu.sh, which documents the arguments."""

import argparse
import importlib.util
import json
import os
import pathlib
import sys
import tempfile

import machine as machines

MODULES = {"A": "correctness", "B": "throughput", "C": "step_profile", "D": "micro",
           "E": "loading", "F": "starting", "G": "recipes", "H": "published"}
TORCH = "2.11"


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/gpu.sh", add_help=False)
    parser.add_argument("parts", nargs="+", type=str.upper, choices=[*MODULES, "ALL"])
    parser.add_argument("-fake", action="store_true")
    parser.add_argument("-quick", action="store_true")
    parser.add_argument("-o", default=os.environ.get("OUT", machines.ROOT / "build/gpu-results"))
    parser.add_argument("-seconds", type=float, default=500.0)
    parser.add_argument("-only", default="")
    return parser.parse_args()


def usage(text):
    print(f"bench/gpu.sh: {text}", file=sys.stderr)
    sys.exit(2)


def find_torch():
    """Returns the folder of this Python's torch, without importing it."""
    found = importlib.util.find_spec("torch")
    if found is None or importlib.util.find_spec("timm") is None:
        usage(f"{sys.executable} has no torch or no timm: name one that has them with VITRAIN_PEER_PYTHON")
    torch = pathlib.Path(found.origin).parent
    version = (torch / "version.py").read_text().split("__version__ = ")[1].split("'")[1]
    if not version.startswith(TORCH + "."):
        usage(f"{sys.executable} has torch {version}, and vitrain is built with {TORCH}: install that")
    return torch


def find_device(machine):
    """Returns the line of `vitrain devices` about the first GPU."""
    program = machines.BUILD / "vitrain"
    if not program.exists():
        usage(f"there is no {program}: build it (VITRAIN_PROFILE=cuda tools/setup.sh), or unpack bench/gpu_pack.sh's archive")
    if machine.fake and not (machines.FAKE / "libfake_cuda.so").exists():
        usage(f"-fake needs {machines.FAKE}/libfake_cuda.so, which a build with CUDA's torch has")
    listed = machine.command([program, "devices"], machine.environment(ours=True), codes=())
    for line in listed.output.splitlines():
        if line.startswith("cuda:0"):
            return " ".join(line.split())
    usage("no GPU can be used here; -fake runs everything without one. vitrain devices says:\n"
          + listed.output.strip())


def run_part(letter, machine, device, arguments, out):
    module = importlib.import_module(MODULES[letter])
    part = machines.Part(letter, module.TITLE, machine, arguments.seconds, arguments.only)
    module.run(part)
    part.show()
    result = {"device": device, **part.result()}
    (out / f"{letter}.json").write_text(json.dumps(result, indent=1) + "\n")
    return part.failed()


def main():
    arguments = parse_arguments()
    torch = find_torch()
    letters = list(MODULES) if "ALL" in arguments.parts else arguments.parts
    out = pathlib.Path(arguments.o)
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="vitrain-gpu-") as work:
        machine = machines.Machine(sys.executable, torch, arguments.fake, arguments.quick, work)
        device = find_device(machine)
        print(f"{device}; torch in {torch}")
        failed = [letter for letter in letters if run_part(letter, machine, device, arguments, out)]
    print(f"\nJSON in {out}; " + (f"rows fail in {', '.join(failed)}" if failed else "no judged row fails"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
