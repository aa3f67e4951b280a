"""Part F: seconds to the first step, to save a checkpoint, and to resume from one."""

import time

from networks import networks

TITLE = "start and checkpoints"
STEPS = 6


def times(machine, network):
    begun = time.time()
    images = {"log.every": 1, "data.train.count": 2 * STEPS * network.batch}
    run = machine.vitrain([], network.settings("bf16", STEPS, **images))
    first = run.records("train")[0]
    saved = run.records("checkpoint")[-1]
    checkpoint = run.folder / f"checkpoints/step-{STEPS:09d}"
    size = sum(path.stat().st_size for path in checkpoint.iterdir())
    values = {
        "begin of step 1, s": first["start_begin_seconds"],
        "end of step 1, s": first["start_end_seconds"],
        "whole run, s": time.time() - begun,
        "checkpoint s": saved["seconds"], "checkpoint MB": size / 1e6}
    again = machine.vitrain(
        ["-resume", checkpoint], network.settings("bf16", 2 * STEPS, **images))
    again.folder = run.folder
    records = [r for r in again.records("train") if r["step"] == STEPS + 1]
    values["resumed, end of its step 1, s"] = records[-1]["start_end_seconds"]
    return values


def peer(machine, network):
    values = machine.peer(
        "gpu/peer_train.py", "--model", "tiny_vit" if machine.quick else network.name, "--batch",
        network.batch, "--precision", "bf16", "--steps", 3, "--skip", 2, PEER_START=time.time())
    return {"end of step 1, s": values["first step s"]}


def run(part):
    machine = part.machine
    for network in networks(machine):
        part.measure(network.label, 40, lambda network=network: times(machine, network))
        part.measure(f"{network.label}, timm eager", 30,
                     lambda network=network: peer(machine, network))
