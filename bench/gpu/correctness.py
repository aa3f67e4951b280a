"""Part A: the GPU's numbers compared with the CPU's."""

import re
import shutil

from machine import Failed, largest_difference
from micro import lines

TITLE = "correctness"
# Allowed relative difference of losses over 20 steps in fp32, with sums in another order.
FP32 = 1e-3
# Allowed for bf16, which has 8 bits (0.4 %); a loss averages thousands of numbers.
BF16 = 3e-2
# Allowed difference relative to the largest number of the tensor.
ATTENTION = {"fp32": 1e-4, "bf16": 2e-2}

# compute-sanitizer's exit code if it saw errors and the program itself succeeded.
SEEN = 99

CPU = ("-devices", "cpu:1")
SMALL = ("data.train.count=640", "data.eval.count=64", "run.epochs=20", "schedule.warmup=0st",
         "log.every=1", "eval.every=1dur", "checkpoint.every=1dur")
SHAPES = "shapes_vit_tiny"
WHOLE = ("data.train.kind=shapes", "data.eval.kind=shapes",
         "data.batch_size=16", "data.train.count=320")
ERASED = ("data.augment.erasing=0.5", "data.augment.erasing_count=2", "data.augment.mixup=0.8")
MODES = {
    "allreduce": (),
    "allreduce, zero1": ("dist.zero1=true",),
    "allreduce, bf16": ("dist.compress=bf16",),
    "delayed_allreduce": ("dist.sync.mode=delayed_allreduce",),
    "local_sgd": ("dist.sync.mode=local_sgd", "dist.sync.period=2"),
    "post_local_sgd": ("dist.sync.mode=post_local_sgd", "dist.sync.start=2st", "dist.sync.period=2"),
    "hierarchical_sgd": ("dist.sync.mode=hierarchical_sgd", "dist.sync.periods=[2]",
                         "dist.sync.group_sizes=[-1]"),
    "diloco": ("dist.sync.mode=diloco", "dist.sync.period=2"),
    "overlap_average": ("dist.sync.mode=overlap_average", "dist.sync.period=3", "dist.sync.delay=1"),
    "async_ps": ("dist.sync.mode=async_ps", "dist.sync.max_staleness=3"),
}


def train(machine, words, settings, steps=20, config=SHAPES, **more):
    return machine.vitrain(
        list(words), [*SMALL, f"run.max_steps={steps}", "train.precision=fp32", *settings],
        config=config, **more)


def compared(ours, theirs, allowed):
    worst = largest_difference(ours, theirs)
    return worst <= allowed, {
        "largest difference": worst, "allowed": allowed, "last losses": f"{ours[-1]:.5f} {theirs[-1]:.5f}"}


def losses(machine, config, settings):
    steps = 4 if machine.quick else 20
    gpu = train(machine, (), settings, steps, config)
    cpu = train(machine, CPU, settings, steps, config)
    if samples(gpu) != samples(cpu):
        raise Failed("GPU and CPU trained with other samples")
    return compared(gpu.losses(), cpu.losses(), FP32)


def samples(run):
    return [record["samples_hash"] for record in run.records("train")]


def bf16(machine):
    steps = 4 if machine.quick else 20
    return compared(train(machine, (), ["train.precision=bf16"], steps).losses(),
                    train(machine, (), [], steps).losses(), BF16)


def attention(row):
    """Judges a row of gpu_micro. A value that is not finite is null in JSON."""
    if "refused" in row:
        return True, {"torch refuses": row["refused"][:60]}
    allowed = ATTENTION[row["type"]]
    errors = {name: row[name] for name in ("output", "gradients")}
    return all(value is not None and value <= allowed for value in errors.values()), {
        **errors, "allowed": allowed}


def attentions(part):
    """Judges every backend with 197 queries; with one query, as for a class token,
    judges only the chosen backend and shows the others."""
    rows = {}
    part.judge("attention: program", 60, lambda: (
        rows.update({(r["queries"], r["type"], r["backend"]): r
                     for r in lines(part.machine, "attention")}) or len(rows) == 20,
        {"rows": len(rows)}), arithmetic=False)
    for (queries, kind, backend), row in rows.items():
        name = f"attention {queries} x 197, {kind}, {backend}"
        if queries > 1 or backend == "chosen":
            part.judge(name, 0, lambda row=row: attention(row))
        else:
            part.measure(name, 0, lambda row=row: attention(row)[1])


def resume(machine):
    """The first loss after resuming must be bit-equal: it depends only on the
    checkpoint. Later losses may differ, because backward sums in another order."""
    settings = ["checkpoint.every=3st", "model.drop_path=0.1", "data.augment.mixup=0.2"]
    whole = train(machine, (), settings, steps=6)
    copy = machine.folder() / whole.folder.name
    shutil.copytree(whole.folder, copy)
    for folder in (copy / "checkpoints").glob("step-*6"):
        shutil.rmtree(folder)
    again = train(machine, ("-resume", copy / "checkpoints/step-000000003"), settings, steps=6)
    again.folder = copy
    ours, theirs = again.losses(), whole.losses()
    if len(ours) != 6 or samples(again) != samples(whole):
        raise Failed(f"{len(ours)} steps, or other samples, after resuming")
    holds, values = compared(ours, theirs, FP32)
    return holds and ours[3] == theirs[3], {
        "step 4, equal bits": ours[3] == theirs[3], **values}


def evaluation(machine):
    steps = 4 if machine.quick else 200
    run = train(machine, (), ["data.train.count=6400"], steps)
    weights = run.folder / f"checkpoints/step-{steps:09d}"
    found = []
    for devices in ((), CPU):
        more = ["data.eval.count=64"] if machine.quick else []
        record = machine.vitrain(
            ["-eval", "-pretrained", weights, *devices], more, config=SHAPES).records("eval")[-1]
        found.append({name: record[name] for name in ("count", "correct1", "correct5")})
    return found[0] == found[1], {"GPU": found[0], "CPU": found[1]}


def two_workers(machine, settings):
    """Compares two processes on one GPU, over Gloo, with two on the CPU."""
    steps = 4 if machine.quick else 12
    gloo = [*settings, "dist.backend=gloo"]
    gpu = train(machine, ("-gpus", f"{machine.gpu_id()},{machine.gpu_id()}"), gloo, steps)
    if "async_ps" in str(settings):  # the order of gradients is not deterministic
        return len(gpu.losses()) == steps, {"steps": len(gpu.losses())}
    cpu = train(machine, ("-devices", "cpu:2"), settings, steps)
    # Gradients summed in bf16 differ by rounding.
    return compared(gpu.losses(), cpu.losses(), BF16 if "bf16" in str(settings) else FP32)


def non_finite(machine):
    """A row whose square overflows fp32 must end the run, on GPU and CPU at the same
    step with the same exit code."""
    folder = machine.folder()
    for name, last in (("train.csv", "1e30"), ("val.csv", "1.0")):
        rows = [f"{i % 7 / 7},{i % 5 / 5},{i % 3}" for i in range(39)]
        (folder / name).write_text("\n".join(["a,b,y", *rows, f"0.5,0.5,{last}"]) + "\n")
    said = []
    for devices in ((), CPU):
        run = machine.vitrain(
            ["-data_path", folder, *devices],
            ["data.batch_size=8", "run.epochs=4", "run.seed=5", "log.every=1"],
            config="pytorch_ddp_example", codes=None)
        found = re.search(r"at step (\d+)", run.output)
        said.append({"exit code": run.code, "step": found.group(1) if found else "none"})
    return said[0] == said[1] and said[0]["exit code"] == 5, {"GPU": said[0], "CPU": said[1]}


def sanitizer_errors(output):
    """Returns (errors, expected errors) of compute-sanitizer's output. Expected: NCCL
    queries kernels that are built for other devices, in order to skip them."""
    lines = [line.removeprefix("=========").strip() for line in output.splitlines()
             if line.startswith("=========")]
    found, expected = [], []
    for report in "\n".join(lines).split("\n\n"):
        if "Host Frame" in report or "Program hit" in report:
            asks = "NoKernelImageForDevice" in report and "ncclInitKernelsForDevice" in report
            (expected if asks else found).append(report)
    if f"ERROR SUMMARY: {len(found) + len(expected)} error" not in output:
        found.append("reports and their sum differ: " + lines[-1] if lines else "no report")
    return found, expected


def sanitizer(part):
    tool = shutil.which("compute-sanitizer")
    name = "compute-sanitizer, 3 steps"
    if tool is None:
        part.leave_out(name, "compute-sanitizer is not on PATH")
    elif part.machine.fake:
        part.leave_out(name, "there are no kernels to watch")
    else:
        def watched():
            run = train(part.machine, (), ["train.precision=bf16"], steps=3, codes=None, before=(
                tool, "--target-processes", "all", "--error-exitcode", str(SEEN)))
            found, expected = sanitizer_errors(run.output)
            return run.code in (0, SEEN) and len(run.losses()) == 3 and not found, {
                "errors": len(found), "that NCCL expects": len(expected),
                "exit code": run.code, **({"said": "; ".join(found)[:20_000]} if found else {})}

        part.judge(name, 60, watched)


def run(part):
    attentions(part)
    with part.at_once():
        sanitizer(part)
        beside_others(part)


def beside_others(part):
    """Judges rows that run at the same time, the longest first."""
    machine = part.machine
    part.judge("evaluation beside the CPU", 40, lambda: evaluation(machine))
    if not machine.quick:
        for label, name in (("ViT-Ti/16", "vit_tiny_patch16_224"), ("ResNet-18", "resnet18")):
            part.judge(
                f"losses, {label} at 224 px, fp32, beside the CPU", 60,
                lambda name=name: losses(machine, "bench_models", [*WHOLE, f"model.name={name}"]))
    part.judge("losses, small ViT, fp32, beside the CPU", 30, lambda: losses(machine, SHAPES, ()))
    part.judge(
        "losses, small ViT, images erased and mixed, fp32, beside the CPU", 30,
        lambda: losses(machine, SHAPES, ERASED))
    part.judge("losses, small ViT, bf16 beside fp32", 20, lambda: bf16(machine))
    part.judge("resuming", 20, lambda: resume(machine))
    part.judge("a gradient that is not finite", 20, lambda: non_finite(machine))
    for name in list(MODES)[:1] + list(MODES)[-1:] if machine.quick else MODES:
        part.judge(f"two workers, {name}", 25, lambda name=name: two_workers(machine, MODES[name]))
