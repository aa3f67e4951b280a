#!/usr/bin/env python3
"""Prints what TensorBoard's own reader sees in a folder of event files.

    python3 read_events.py FOLDER [hparams]

One JSON object: {"scalars": {tag: [[step, value], ...]}, "texts": {tag:
[[step, text], ...]}, "images": {tag: [[step, width, height], ...]}, "hparams":
{the columns of the hparams page, and of the run its values, metrics and
status}}. Non-finite values are the strings Python prints.
tests/unit/logging/tensorboard_test.cpp runs it where VITRAIN_PEER_PYTHON names
a Python that has the package tensorboard.
"""

import json
import math
import sys

from tensorboard import context
from tensorboard.backend.event_processing import data_provider
from tensorboard.backend.event_processing import event_accumulator
from tensorboard.backend.event_processing import (
    plugin_event_multiplexer as event_multiplexer)
from tensorboard.plugins import base_plugin
from tensorboard.plugins.hparams import api_pb2, backend_context
from tensorboard.plugins.hparams import list_session_groups


def plain(value):
    return value if math.isfinite(value) else str(value)


def hparams(folder):
    """What the hparams page shows of the folder as the only run."""
    multiplexer = event_multiplexer.EventMultiplexer().AddRun(folder, "run")
    multiplexer.Reload()
    provider = data_provider.MultiplexerDataProvider(multiplexer, folder)
    page = backend_context.Context(
        base_plugin.TBContext(multiplexer=multiplexer, data_provider=provider))
    request = context.RequestContext()
    run_to_tag = page.hparams_metadata(request, "")
    experiment = page.experiment_from_metadata(
        request, "", include_metrics=True, hparams_run_to_tag_to_content=run_to_tag,
        data_provider_hparams=[])
    groups = list_session_groups.Handler(
        request, page, "", api_pb2.ListSessionGroupsRequest(
            slice_size=10,
            allowed_statuses=[
                api_pb2.STATUS_SUCCESS, api_pb2.STATUS_FAILURE,
                api_pb2.STATUS_RUNNING, api_pb2.STATUS_UNKNOWN])).run()
    group = groups.session_groups[0]
    kinds = ("number_value", "string_value", "bool_value")
    return {
        "columns": sorted(info.name for info in experiment.hparam_infos),
        "metrics": sorted(
            (f"{info.name.group}/" if info.name.group else "") + info.name.tag
            for info in experiment.metric_infos),
        "values": {
            key: getattr(value, value.WhichOneof("kind"))
            for key, value in group.hparams.items()
            if value.WhichOneof("kind") in kinds},
        "status": api_pb2.Status.Name(group.sessions[0].status),
    }


def main():
    reader = event_accumulator.EventAccumulator(
        sys.argv[1], size_guidance={"scalars": 0, "tensors": 0, "images": 0}
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
        if reader.SummaryMetadata(tag).plugin_data.plugin_name == "text"
    }
    # Old image summaries come as tensors: width, height, file.
    images = {
        tag: [
            [e.step] + [int(n) for n in e.tensor_proto.string_val[:2]]
            for e in reader.Tensors(tag)
        ]
        for tag in tags["tensors"]
        if reader.SummaryMetadata(tag).plugin_data.plugin_name == "images"
    }
    images |= {
        tag: [[e.step, e.width, e.height] for e in reader.Images(tag)]
        for tag in tags["images"]
    }
    seen = {"scalars": scalars, "texts": texts, "images": images}
    if "hparams" in sys.argv[2:]:
        seen["hparams"] = hparams(sys.argv[1])
    json.dump(seen, sys.stdout)


if __name__ == "__main__":
    main()
