"""Part B: training steps compared with timm, eager and compiled."""

import statistics

from networks import networks

TITLE = "images/s of training beside timm"
# The most important rows come first, because the deadline may cut off the end.
ROWS = (("bf16", False), ("bf16", True), ("tf32", False), ("fp32", False), ("tf32", True))
# (steps of a run, first steps that are not timed). A step in fp32 takes up to ten times
# as long as one in bf16, and cuDNN's search for convolution algorithms even longer.
STEPS = {"fp32": (24, 8)}
MOST_STEPS = (60, 20)


def steps_of(machine, precision):
    return (8, 4) if machine.quick else STEPS.get(precision, MOST_STEPS)


def ours(machine, network, precision):
    steps, skip = steps_of(machine, precision)
    run = machine.vitrain([], network.settings(precision, steps, **{"log.every": skip // 2}))
    records = [r for r in run.records("train") if r["step"] > skip]
    return {
        "images/s": statistics.median(r["images_per_second"] for r in records),
        "waits for images": f"{100 * statistics.mean(r['data_wait'] for r in records):.0f} %",
        "memory GiB": run.records("done")[0]["memory_bytes"] / 2**30}


def theirs(machine, network, precision, compiled):
    steps, skip = steps_of(machine, precision)
    return machine.peer(
        "gpu/peer_train.py", "--model", "tiny_vit" if machine.quick else network.name, "--batch",
        network.batch, "--precision", precision, "--drop_path", network.drop_path, "--steps",
        steps, "--skip", skip, *(["--compile"] if compiled else []))


def run(part):
    machine = part.machine
    for precision, compiled in ROWS:
        for network in networks(machine):
            way = "compiled" if compiled else "eager"
            name = f"{network.label} {precision}, batch {network.batch}, beside timm {way}"
            if compiled and machine.fake:
                part.leave_out(name, "torch.compile makes kernels, which need a GPU")
                continue

            def pair(network=network, precision=precision, compiled=compiled):
                own = ours(machine, network, precision)
                peer = theirs(machine, network, precision, compiled)
                return {
                    "ours": own, "theirs": {k: peer[k] for k in ("images/s", "memory GiB")},
                    "ratio": own["images/s"] / peer["images/s"]}

            part.measure(name, 110 if compiled else 30, pair)
