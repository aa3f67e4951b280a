#!/usr/bin/env python3
"""Writes samplers.csv beside this file: what the samplers of torch, Paddle and
timm give, as one checksum per sampler and number of samples.

Needs torch 2.11, timm 1.0.31 and paddlepaddle 3.3.1:  python3 make_samplers.py

A row covers every combination of batch, world, shuffle and the two ways of
dropping; its checksum is CRC-32 of the batches as text, in the order of the
loops of `cases`: one line of indices per batch, then "rank" for every worker.
"""

import pathlib
import zlib

from timm.data.distributed_sampler import RepeatAugSampler
from torch.utils.data import BatchSampler, DistributedSampler

import paddle.io

HERE = pathlib.Path(__file__).resolve().parent
BATCHES = [1, 3, 32]
WORLDS = range(1, 9)
# Repeats and rounding: DeiT's, none, a number of repeats that is no integer.
REPEATS = [(3, 256), (2, 0), (2.5, 100)]


def torch_batches(n, batch, world, rank, shuffle, drop, epoch, seed):
    tail, last = drop
    sampler = DistributedSampler(
        range(n), world, rank, shuffle=shuffle, seed=seed, drop_last=tail)
    sampler.set_epoch(epoch)
    return BatchSampler(sampler, batch, last)


def paddle_batches(n, batch, world, rank, shuffle, drop, epoch, seed):
    sampler = paddle.io.DistributedBatchSampler(
        range(n), batch, world, rank, shuffle=shuffle, drop_last=drop)
    sampler.set_epoch(epoch)
    return sampler


def repeated_batches(n, batch, world, rank, shuffle, drop, epoch, seed):
    (repeats, rounding), last = drop
    sampler = RepeatAugSampler(
        range(n), world, rank, shuffle, repeats, selected_round=rounding)
    sampler.set_epoch(epoch)
    return BatchSampler(sampler, batch, last)


BOTH = [False, True]
SAMPLERS = {
    "torch": (torch_batches, [(tail, last) for tail in BOTH for last in BOTH]),
    "paddle": (paddle_batches, BOTH),
    "repeated": (repeated_batches, [(r, last) for r in REPEATS for last in BOTH]),
}


def checksum(name, n):
    batches_of, drops = SAMPLERS[name]
    crc = 0
    for batch in BATCHES:
        for world in WORLDS:
            for shuffle in BOTH:
                for drop in drops:
                    text = []
                    for rank in range(world):
                        for indices in batches_of(
                                n, batch, world, rank, shuffle, drop, n % 7, n * 31):
                            text.append(" ".join(map(str, indices)) + "\n")
                        text.append("rank\n")
                    crc = zlib.crc32("".join(text).encode(), crc)
    return crc


def main():
    with open(HERE / "samplers.csv", "w") as out:
        out.write("sampler,samples,crc32\n")
        for name in SAMPLERS:
            for n in range(1, 1001):
                out.write(f"{name},{n},{checksum(name, n):08x}\n")


if __name__ == "__main__":
    main()
