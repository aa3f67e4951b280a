"""Part D: single parts of a step."""

import json

from machine import ROOT, Failed

TITLE = "parts of a step alone"
RULES = ("adamw", "sgd", "lamb", "lion", "muon")


def lines(machine, *words):
    return [json.loads(line) for line in machine.program("gpu_micro", *words).output.splitlines()
            if line.startswith("{")]


def milliseconds(output):
    """Returns {rule: ms}, parsed from the "RULE MS" lines that both sides of
    compare_optimizers.sh print."""
    rows = [line.split() for line in output.splitlines()]
    return {row[0]: float(row[1]) for row in rows if len(row) == 2}


def optimizer(machine):
    rules = RULES[:2] if machine.quick else RULES
    steps = 5 if machine.quick else 50
    own = milliseconds(machine.program("optimizer_step", "cuda", steps, *rules).output)
    run = machine.command(
        [machine.python, ROOT / "bench/peers/optimizer_step.py", "cuda", steps, *rules],
        machine.environment(ours=False))
    peer = milliseconds(run.output)
    if set(own) != set(rules) or set(peer) != set(rules):
        raise Failed(f"a rule is missing: {own}, {peer}")
    return {rule: {"ms": own[rule], "torch or timm ms": peer[rule],
                   "ratio": own[rule] / peer[rule]} for rule in rules}


def run(part):
    machine = part.machine
    batch, sizes = (8, (1,)) if machine.quick else (256, (1, 25, 100))
    part.measure("update of 25.6 million parameters", 40, lambda: optimizer(machine))
    part.measure("a batch through the input path", 20, lambda: lines(machine, "copy", batch)[0])
    for size in sizes:
        part.measure(
            f"all-reduce of {size} MiB, one rank", 15,
            lambda size=size: {row["type"]: {"ms": row["ms"]}
                               for row in lines(machine, "exchange", size)})
