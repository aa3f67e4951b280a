"""Part C: work of a training step on host and device, and where its time goes."""

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
    """Returns the fake runtime's counts of one step: medians over the steps in the middle."""
    steps = report["steps"]
    return {name: statistics.median(b[name] - a[name] for a, b in zip(steps[3:-2], steps[4:-1]))
            for name in COUNTS}


def host_milliseconds(run, skip):
    """Returns the host's milliseconds of a step with the fake runtime, where kernels take
    no time, without waiting for images. The minimum: other load only adds time."""
    return min(1e3 * r["step_seconds"] * (1.0 - r["data_wait"])
               for r in run.records("train") if r["step"] > skip)


class Trace:
    """Events with a duration of a rank's log.trace, and its middle step: in the first
    and the last step Kineto itself waits for the device."""

    def __init__(self, path):
        # Kineto lists each section a second time, for its work on the device.
        self.events = [e for e in json.loads(path.read_text())["traceEvents"]
                       if e["ph"] == "X" and e.get("cat") != "gpu_user_annotation"]
        steps = sorted((e for e in self.events if e["name"].startswith("step ")),
                       key=lambda e: e["ts"])
        self.step = steps[len(steps) // 2]

    def inside(self, wanted):
        """Returns the wanted events that began during the step."""
        begin, end = self.step["ts"], self.step["ts"] + self.step["dur"]
        return [e for e in self.events if begin <= e["ts"] < end and wanted(e)]

    def shares(self):
        """Returns the percentage of each section of the step, without waiting for images."""
        spent = {name: sum(e["dur"] for e in self.inside(lambda e, name=name: e["name"] == name))
                 for name in SECTIONS}
        whole = sum(spent.values())
        return {name: f"{100 * value / whole:.0f} %" for name, value in spent.items()}

    def calls(self):
        """Returns the CUDA calls of the step."""
        return self.inside(lambda e: e.get("cat") in ("cuda_runtime", "cuda_driver"))

    def work(self):
        """Returns the kernels and copies that the step enqueued, whenever they ran."""
        numbers = {e["args"].get("correlation") for e in self.calls()}
        return [e for e in self.events if e.get("cat") in ("kernel", "gpu_memcpy")
                and e["args"].get("correlation") in numbers]

    def longest(self):
        """Returns {kernel: launches and milliseconds} of the step's longest kernels."""
        found = {}
        for event in self.work():
            count, spent = found.get(event["name"], (0, 0.0))
            found[event["name"]] = count + 1, spent + event["dur"] / 1e3
        rows = sorted(found.items(), key=lambda row: -row[1][1])[:KERNELS]
        return {name: f"{count} x, {spent:.2f} ms" for name, (count, spent) in rows}

    def device(self):
        """Returns counts of the step's CUDA calls, copies and kernels."""
        calls, work = self.calls(), self.work()
        kernels = [e for e in work if e["cat"] == "kernel"]
        copies = [e["name"] for e in work if e["cat"] == "gpu_memcpy"]
        return {
            "waits": sum(e["name"] in WAITS for e in calls),
            "pageable": sum("Pageable" in name for name in copies),
            "copies": sum("HtoD" in name for name in copies),
            "kernels": len(kernels), "kernels ms": sum(e["dur"] for e in kernels) / 1e3}


def quiet_run(machine, network, **more):
    """Runs with reports only in the first and last step: a report makes the host wait."""
    return machine.vitrain(
        [], network.settings("bf16", STEPS, **{"log.every": 100, **more}), OMP_NUM_THREADS=1,
        FAKE_CUDA_ORDER=0)  # off: its checks would add to the host's time


def traced_run(machine, network):
    return Trace(quiet_run(machine, network, **{"log.trace": "10-12"}).folder / "trace/rank0.json")


def profile_fake(machine, network):
    """Returns counts at the network's batch size, and the host's time with small batches:
    the fake runtime reads all copied data, and images are made on the same cores."""
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
    """Returns true if the step has no wait, no pageable copy, and at most one upload."""
    copies = values.get("host_to_device", values.get("copies"))
    return values["waits"] == 0 and values["pageable"] == 0 and copies <= 1


def run(part):
    for network in networks(part.machine):
        def judged(network=network):
            measure = profile_fake if part.machine.fake else profile
            values = measure(part.machine, network)
            return gates(values), values

        part.judge(f"{network.label}, batch {network.batch}", 30, judged, arithmetic=False)
