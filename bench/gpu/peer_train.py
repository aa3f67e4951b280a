"""Training steps of a timm model on the first GPU. Prints a JSON object.

Forward under autocast, cross entropy, backward, clipping, fused AdamW, on batches
that are on the device before the first step, so input costs nothing. The host
waits for the device only at the begin and end of each timed interval.
"""

import argparse
import json
import os
import statistics
import time

STARTED = float(os.environ.get("PEER_START", time.time()))

import timm  # noqa: E402 - the time of importing counts as start
import torch  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="a name of timm, or tiny_vit")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16"], required=True)
    parser.add_argument("--drop_path", type=float, default=0.0)
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--skip", type=int, required=True, help="steps that are not timed")
    return parser.parse_args()


def make_model(args):
    """Returns (model, image size, classes). drop_path_rate is passed only if nonzero,
    because not every timm model accepts it."""
    if args.model == "tiny_vit":
        from timm.models.vision_transformer import VisionTransformer

        return VisionTransformer(img_size=32, patch_size=8, embed_dim=64, depth=2, num_heads=2,
                                 num_classes=10, drop_path_rate=args.drop_path), 32, 10
    more = {"drop_path_rate": args.drop_path} if args.drop_path else {}
    return timm.create_model(args.model, **more), 224, 1000


def main():
    args = parse_arguments()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = args.precision == "tf32"
    torch.backends.cudnn.allow_tf32 = args.precision == "tf32"
    torch.backends.cudnn.benchmark = True
    device = torch.device("cuda", 0)
    model, size, classes = make_model(args)
    model.train().to(device)
    convolutions = [m for m in model.modules() if isinstance(m, torch.nn.Conv2d)]
    layout = torch.channels_last if len(convolutions) > 1 else torch.contiguous_format
    model.to(memory_format=layout)
    batches = [(torch.randn(args.batch, 3, size, size, device=device).contiguous(memory_format=layout),
                torch.randint(0, classes, (args.batch,), device=device)) for _ in range(2)]
    parameters = list(model.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=1e-4, weight_decay=0.05, fused=True)
    network = torch.compile(model) if args.compile else model
    loss_of = torch.nn.CrossEntropyLoss()

    def step(index):
        images, labels = batches[index % len(batches)]
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=args.precision == "bf16"):
            loss = loss_of(network(images), labels)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()

    step(0)
    torch.cuda.synchronize()
    first = time.time() - STARTED
    for index in range(1, args.skip):
        step(index)
    torch.cuda.synchronize()
    taken = []
    chunk = max(1, (args.steps - args.skip) // 4)
    for index in range(args.skip, args.steps - chunk + 1, chunk):
        begun = time.perf_counter()
        for inner in range(chunk):
            step(index + inner)
        torch.cuda.synchronize()
        taken.append((time.perf_counter() - begun) / chunk)
    print(json.dumps({
        "images/s": args.batch / statistics.median(taken), "first step s": first,
        "memory GiB": torch.cuda.max_memory_reserved() / 2**30}))


if __name__ == "__main__":
    main()
