#!/usr/bin/env python3
"""Writes events.bin, the golden bytes of tests/unit/logging/event_test.cpp.

TensorBoard's own protobuf classes and record writer make them; the events and
their order are those of the test. Needs the package tensorboard (2.21.0 made
the committed file):

    python3 make_events.py
"""

import io
import math
import pathlib

from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2
from tensorboard.compat.proto import tensor_shape_pb2, types_pb2
from tensorboard.plugins.hparams import api_pb2, plugin_data_pb2
from tensorboard.plugins.hparams import metadata as hparams_metadata
from tensorboard.summary.writer.record_writer import RecordWriter

WALL_TIME = 1700000000.25


def scalar(step, tag, value):
    summary = summary_pb2.Summary()
    summary.value.add(tag=tag, simple_value=value)
    return event_pb2.Event(wall_time=WALL_TIME, step=step, summary=summary)


def text(step, tag, content):
    shape = tensor_shape_pb2.TensorShapeProto(
        dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=1)]
    )
    tensor = tensor_pb2.TensorProto(
        dtype=types_pb2.DT_STRING,
        tensor_shape=shape,
        string_val=[content.encode()],
    )
    plugin = summary_pb2.SummaryMetadata.PluginData(plugin_name="text")
    summary = summary_pb2.Summary()
    summary.value.add(
        tag=tag,
        tensor=tensor,
        metadata=summary_pb2.SummaryMetadata(plugin_data=plugin),
    )
    return event_pb2.Event(wall_time=WALL_TIME, step=step, summary=summary)


def image(step, tag, png, width, height):
    summary = summary_pb2.Summary()
    summary.value.add(
        tag=tag,
        image=summary_pb2.Summary.Image(
            height=height, width=width, colorspace=3,
            encoded_image_string=png))
    return event_pb2.Event(wall_time=WALL_TIME, step=step, summary=summary)


def hparams(tag, data):
    """As tensorboard.plugins.hparams.summary makes them, one key at a time:
    the order of a map's entries is not fixed."""
    plugin = summary_pb2.SummaryMetadata.PluginData(
        plugin_name=hparams_metadata.PLUGIN_NAME,
        content=data.SerializeToString())
    summary = summary_pb2.Summary()
    summary.value.add(
        tag=tag, metadata=summary_pb2.SummaryMetadata(plugin_data=plugin))
    return event_pb2.Event(wall_time=WALL_TIME, summary=summary)


def session_start(key, value):
    start = plugin_data_pb2.SessionStartInfo(start_time_secs=WALL_TIME)
    if isinstance(value, bool):
        start.hparams[key].bool_value = value
    elif isinstance(value, float):
        start.hparams[key].number_value = value
    else:
        start.hparams[key].string_value = value
    return hparams(
        hparams_metadata.SESSION_START_INFO_TAG,
        plugin_data_pb2.HParamsPluginData(session_start_info=start))


def session_end(status):
    return hparams(
        hparams_metadata.SESSION_END_INFO_TAG,
        plugin_data_pb2.HParamsPluginData(
            session_end_info=plugin_data_pb2.SessionEndInfo(
                status=status, end_time_secs=WALL_TIME)))


def main():
    events = [
        event_pb2.Event(wall_time=WALL_TIME, file_version="brain.Event:2"),
        event_pb2.Event(
            wall_time=WALL_TIME,
            step=121,
            session_log=event_pb2.SessionLog(status=event_pb2.SessionLog.START),
        ),
        scalar(0, "train/loss", 0.0),
        scalar(1, "train/loss", 2.302585),
        scalar(127, "eval/top1", 56.25),
        scalar(128, "eval/top1", math.inf),
        scalar(2**40 + 3, "t" * 200, -1e-30),
        text(0, "config", "model:\n  name: vit\n" + "x" * 300 + " \u00e9\u732b"),
        image(1, "samples", b"\x89PNG" + b"\0" * 200, 300, 2),
        session_start("optim.lr", 0.0),
        session_start("optim.nesterov", False),
        session_start("model.name", "vit \u00e9"),
        session_end(api_pb2.STATUS_SUCCESS),
        session_end(api_pb2.STATUS_FAILURE),
    ]
    stream = io.BytesIO()
    writer = RecordWriter(stream)
    for event in events:
        writer.write(event.SerializeToString())
    path = pathlib.Path(__file__).with_name("events.bin")
    path.write_bytes(stream.getvalue())
    print(f"{path.name}: {len(events)} events, {len(stream.getvalue())} bytes")


if __name__ == "__main__":
    main()
