#!/usr/bin/env python3
"""Writes the reference numbers of the guides' example jobs.

Runs torch 2.11 (on the CPU; needs numpy too). The folder of the fixtures is
this script's. Run it again after a change and commit what it writes:
python3 tests/golden/guides/make_fixtures.py

- regression.npy, linear.safetensors: 100 samples of 10 features and one target,
  and the weights that a linear model starts from;
- regression.json: the loss of each of its 10 steps, which take all rows, under
  DistributedDataParallel on two processes (Gloo, DistributedSampler), under
  DataParallel and in plain torch, and the weights at the end;
- convnet.json: the network of Horovod's MNIST example: its initial weights
  after manual_seed, outputs with and without dropout (given masks), gradients.
"""

import json
import pathlib
import struct
import tempfile
import zlib

import numpy
import torch
import torch.distributed
import torch.multiprocessing
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

HERE = pathlib.Path(__file__).resolve().parent
SAMPLES, FEATURES, EPOCHS, BATCH, RATE = 100, 10, 10, 100, 0.01


class Linear(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(FEATURES, 1)

    def forward(self, x):
        return self.fc(x)


def regression():
    generator = torch.Generator().manual_seed(0)
    table = torch.randn(SAMPLES, FEATURES + 1, generator=generator)
    torch.manual_seed(1)
    return table, Linear()


def write_safetensors(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        values = tensor.detach().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def final(model):
    return [v for p in model.parameters() for v in p.detach().flatten().tolist()]


def distributed(rank, world, folder):
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{folder}/store", rank=rank, world_size=world)
    table, model = regression()
    data = TensorDataset(table[:, :FEATURES], table[:, FEATURES:])
    sampler = DistributedSampler(data, seed=0)
    loader = DataLoader(data, batch_size=BATCH // world, sampler=sampler)
    model = DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    losses = []
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            # Batches are equal on both ranks, so the mean of means is the mean.
            mean = loss.detach().clone()
            torch.distributed.all_reduce(mean)
            losses.append(mean.item() / world)
    if rank == 0:
        pathlib.Path(folder, "out.json").write_text(
            json.dumps({"losses": losses, "weights": final(model)}))
    torch.distributed.destroy_process_group()


def single(wrap):
    """The same samples in the same steps, in one process."""
    table, model = regression()
    model = wrap(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=RATE)
    losses = []
    for epoch in range(EPOCHS):
        generator = torch.Generator().manual_seed(epoch)
        order = torch.randperm(SAMPLES, generator=generator)
        for batch in order.split(BATCH):
            optimizer.zero_grad()
            rows = table[batch]
            loss = nn.functional.mse_loss(
                model(rows[:, :FEATURES]), rows[:, FEATURES:])
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
    return {"losses": losses, "weights": final(model)}


def write_regression():
    table, model = regression()
    numpy.save(HERE / "regression.npy", table.numpy())
    write_safetensors(HERE / "linear.safetensors", model.state_dict())
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(distributed, (2, folder), nprocs=2)
        ddp = json.loads(pathlib.Path(folder, "out.json").read_text())
    results = {"ddp": ddp, "dp": single(nn.DataParallel),
               "plain": single(lambda model: model)}
    for result in results.values():
        for a, b in zip(ddp["losses"], result["losses"], strict=True):
            assert abs(a - b) < 1e-6, (a, b)
    (HERE / "regression.json").write_text(json.dumps(results, indent=1) + "\n")


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 10, 5)
        self.conv2 = nn.Conv2d(10, 20, 5)
        self.fc1 = nn.Linear(320, 50)
        self.fc2 = nn.Linear(50, 10)

    def forward(self, x, channels=None, units=None):
        f = nn.functional
        x = f.relu(f.max_pool2d(self.conv1(x), 2))
        x = self.conv2(x)
        x = x if channels is None else x * channels[:, :, None, None]
        x = f.relu(f.max_pool2d(x, 2)).flatten(1)
        x = f.relu(self.fc1(x))
        return self.fc2(x if units is None else x * units)


def pattern(count, number):
    """Values in [-1, 1] that any language computes without rounding errors."""
    i = torch.arange(count, dtype=torch.int64)
    mixed = i * 7919 + number * 104729 + (i * i % 1009) * 31
    return (mixed % 2003).double() / 1001.0 - 1.0


def write_convnet():
    torch.manual_seed(42)
    net = ConvNet()
    x = pattern(3 * 784, 1).float().view(3, 1, 28, 28)
    factors = (pattern(70 * 3, 2) > 0).float().view(70, 3) * 2
    dropped = net(x, factors[:20].t(), factors[20:].t())
    nn.functional.nll_loss(
        nn.functional.log_softmax(dropped, 1), torch.tensor([3, 0, 9])).backward()
    crc = {name: f"{zlib.crc32(value.numpy().tobytes()):08x}"
           for name, value in net.state_dict().items()}
    result = {
        "seed": 42,
        "crc": crc,
        "outputs": net(x).flatten().tolist(),
        "dropped": dropped.flatten().tolist(),
        "gradient_norms": {name: p.grad.norm().item()
                           for name, p in net.named_parameters()},
    }
    (HERE / "convnet.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    write_regression()
    write_convnet()
