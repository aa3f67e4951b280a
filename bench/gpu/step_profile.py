"""Part C: what a training step asks of host and device, and where its time goes."""

import dataclasses
import json
import statistics

from networks import networks

TITLE = "profile of a training step (bf16)"
# Sections of log.trace, in the order of a step.
SECTIONS = ("making inputs", "forward", "backward", "the exchange of gradients", "the optimizer")
STEPS = 16
SMALL_BATCH = 8
COUNTS = ("waits", "pageable", "host_to_device", "launches", "products", "plans")
WAITS = ("cudaStreamSynchronize", "cudaEventSynchronize", "cudaDeviceSynchronize", "cudaMemcpy")


def fake_counts(report):
    """Of the steps in the middle, which are all alike: what one took."""
    steps = report["steps"]
    return {name: statistics.median(b[name] - a[name] for a, b in zip(steps[3:-2], steps[4:-1]))
            for name in COUNTS}


def host_milliseconds(run, skip):
    """Of a step over the fake runtime, where kernels take no time; without what it
    waited for images. The least: what else the machine does only adds."""
    return min(1e3 * r["step_seconds"] * (1.0 - r["data_wait"])
               for r in run.records("train") if r["step"] > skip)


class Trace:
    """The events of a rank's log.trace that have a length."""

    def __init__(self, path):
        self.events = [e for e in json.loads(path.read_text())["traceEvents"] if e["ph"] == "X"]
        self.steps = [e for e in self.events if e["name"].startswith("step ")]

    def per_step(self, wanted):
        """How many of these events a step has, and their milliseconds."""
        inside = [e for e in self.events if wanted(e) and any(
            s["ts"] <= e["ts"] < s["ts"] + s["dur"] for s in self.steps)]
        count = len(self.steps)
        return len(inside) / count, sum(e["dur"] for e in inside) / 1e3 / count

    def shares(self):
        """Percent of a step's sections, without the wait for images."""
        spent = {name: self.per_step(lambda e, name=name: e["name"] == name)[1]
                 for name in SECTIONS}
        whole = sum(spent.values())
        return {name: f"{100 * value / whole:.0f} %" for name, value in spent.items()}

    def device(self):
        """What Kineto saw of the driver and the device."""
        runtime = lambda part: lambda e: e.get("cat") == "cuda_runtime" and part(e["name"])
        kernels, busy = self.per_step(lambda e: e.get("cat") == "kernel")
        return {
            "waits": self.per_step(runtime(lambda name: name in WAITS))[0],
            "copies": self.per_step(lambda e: e.get("cat") == "gpu_memcpy" and "HtoD" in e["name"])[0],
            "pageable": self.per_step(
                lambda e: e.get("cat") == "gpu_memcpy" and "Pageable" in e["name"])[0],
            "kernels": kernels, "kernels ms": busy}


def quiet_run(machine, network, **more):
    """A line of the log makes the host wait: there is none between the ends."""
    return machine.vitrain(
        [], network.settings("bf16", STEPS, **{"log.every": 100, **more}), OMP_NUM_THREADS=1)


def traced_run(machine, network):
    return Trace(quiet_run(machine, network, **{"log.trace": "10-12"}).folder / "trace/rank0.json")


def profile_fake(machine, network):
    """Counts at the network's batch. The host's time in small batches: the fake
    reads all that is copied, and images are made on the same cores."""
    values = fake_counts(quiet_run(machine, network).reports[0])
    values["launches in all"] = sum(values[name] for name in ("launches", "products", "plans"))
    small = dataclasses.replace(network, batch=SMALL_BATCH)
    timed = machine.vitrain([], small.settings("bf16", 100, **{"log.every": 2}), OMP_NUM_THREADS=1)
    values["host ms"] = host_milliseconds(timed, 10)
    values["shares"] = traced_run(machine, small).shares()
    return values


def profile(machine, network):
    timed = machine.vitrain([], network.settings("bf16", 60, **{"log.every": 10}))
    trace = traced_run(machine, network)
    return {
        "step ms": statistics.median(
            1e3 * r["step_seconds"] for r in timed.records("train") if r["step"] > 20),
        **trace.device(), "shares of the host's time": trace.shares()}


def gates(values):
    """No wait, no pageable copy, one copy to the device."""
    copies = values.get("host_to_device", values.get("copies"))
    return values["waits"] == 0 and values["pageable"] == 0 and copies <= 1


def run(part):
    for network in networks(part.machine):
        def judged(network=network):
            measure = profile_fake if part.machine.fake else profile
            values = measure(part.machine, network)
            return gates(values), values

        part.judge(f"{network.label}, batch {network.batch}", 60, judged, arithmetic=False)
