#!/usr/bin/env python3
"""Prints what TensorBoard's own reader sees in a folder of event files.

    python3 read_events.py FOLDER

One JSON object: {"scalars": {tag: [[step, value], ...]}, "texts": {tag:
[[step, text], ...]}}. Non-finite values are the strings Python prints.
tests/unit/logging/tensorboard_test.cpp runs it where VITRAIN_PEER_PYTHON names
a Python that has the package tensorboard.
"""

import json
import math
import sys

from tensorboard.backend.event_processing import event_accumulator


def plain(value):
    return value if math.isfinite(value) else str(value)


def main():
    reader = event_accumulator.EventAccumulator(
        sys.argv[1], size_guidance={"scalars": 0, "tensors": 0}
    )
    reader.Reload()
    tags = reader.Tags()
    scalars = {
        tag: [[e.step, plain(e.value)] for e in reader.Scalars(tag)]
        for tag in tags["scalars"]
    }
    texts = {
        tag: [
            [e.step, e.tensor_proto.string_val[0].decode()]
            for e in reader.Tensors(tag)
        ]
        for tag in tags["tensors"]
    }
    json.dump({"scalars": scalars, "texts": texts}, sys.stdout)


if __name__ == "__main__":
    main()
