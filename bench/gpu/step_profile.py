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
KERNELS = 40
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
    """The events of a rank's log.trace that have a length, and its step in the
    middle: at the ends Kineto itself waits for the device."""

    def __init__(self, path):
        # Kineto shows a section a second time, when the device worked on it.
        self.events = [e for e in json.loads(path.read_text())["traceEvents"]
                       if e["ph"] == "X" and e.get("cat") != "gpu_user_annotation"]
        steps = sorted((e for e in self.events if e["name"].startswith("step ")),
                       key=lambda e: e["ts"])
        self.step = steps[len(steps) // 2]

    def inside(self, wanted):
        """The events of the step that the host made."""
        begin, end = self.step["ts"], self.step["ts"] + self.step["dur"]
        return [e for e in self.events if begin <= e["ts"] < end and wanted(e)]

    def shares(self):
        """Percent of the step's sections, without the wait for images."""
        spent = {name: sum(e["dur"] for e in self.inside(lambda e, name=name: e["name"] == name))
                 for name in SECTIONS}
        whole = sum(spent.values())
        return {name: f"{100 * value / whole:.0f} %" for name, value in spent.items()}

    def calls(self):
        """Of the driver, in the step."""
        return self.inside(lambda e: e.get("cat") in ("cuda_runtime", "cuda_driver"))

    def work(self):
        """Kernels and copies, whenever they ran, that the step gave the device."""
        numbers = {e["args"].get("correlation") for e in self.calls()}
        return [e for e in self.events if e.get("cat") in ("kernel", "gpu_memcpy")
                and e["args"].get("correlation") in numbers]

    def longest(self):
        """{kernel: its launches and their milliseconds}, those of a step that take
        the most."""
        found = {}
        for event in self.work():
            count, spent = found.get(event["name"], (0, 0.0))
            found[event["name"]] = count + 1, spent + event["dur"] / 1e3
        rows = sorted(found.items(), key=lambda row: -row[1][1])[:KERNELS]
        return {name: f"{count} x, {spent:.2f} ms" for name, (count, spent) in rows}

    def device(self):
        """What Kineto saw of the driver and of the device."""
        calls, work = self.calls(), self.work()
        kernels = [e for e in work if e["cat"] == "kernel"]
        copies = [e["name"] for e in work if e["cat"] == "gpu_memcpy"]
        return {
            "waits": sum(e["name"] in WAITS for e in calls),
            "pageable": sum("Pageable" in name for name in copies),
            "copies": sum("HtoD" in name for name in copies),
            "kernels": len(kernels), "kernels ms": sum(e["dur"] for e in kernels) / 1e3}


def quiet_run(machine, network, **more):
    """A line of the log makes the host wait: there is none between the ends."""
    return machine.vitrain(
        [], network.settings("bf16", STEPS, **{"log.every": 100, **more}), OMP_NUM_THREADS=1,
        FAKE_CUDA_ORDER=0)  # its checks would be part of the host's time


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
        **trace.device(), "shares of the host's time": trace.shares(),
        "longest": trace.longest()}


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

        part.judge(f"{network.label}, batch {network.batch}", 30, judged, arithmetic=False)
