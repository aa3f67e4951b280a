"""The network of "94% on CIFAR-10 in 3.29 seconds" (arXiv:2404.00498) in torch.

Needs torch 2.11. Writes cifarnet.json: what the constructor leaves after
torch.manual_seed (crc32 of each parameter), outputs of training mode and of
evaluation mode afterwards, norms of gradients, and the whitening filters of
images that the test makes as well.

    python3 tests/golden/models/make_cifarnet.py
"""

import json
import pathlib
import sys
import zlib

import torch
from torch import nn
from torch.nn import functional

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from make_fixtures import pattern

SEED = 5


def conv(inputs, outputs, kernel, padding, bias=False):
    layer = nn.Conv2d(inputs, outputs, kernel, padding=padding, bias=bias)
    nn.init.dirac_(layer.weight.data[:inputs])
    if bias:
        nn.init.zeros_(layer.bias)
    return layer


class Group(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv1 = conv(inputs, outputs, 3, 1)
        self.norm1 = nn.BatchNorm2d(outputs, eps=1e-12, momentum=1 - 0.6)
        self.conv2 = conv(outputs, outputs, 3, 1)
        self.norm2 = nn.BatchNorm2d(outputs, eps=1e-12, momentum=1 - 0.6)

    def forward(self, x):
        x = functional.gelu(self.norm1(functional.max_pool2d(self.conv1(x), 2)))
        return functional.gelu(self.norm2(self.conv2(x)))


class CifarNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.whiten = conv(3, 24, 2, 0, bias=True)
        self.group1 = Group(24, 64)
        self.group2 = Group(64, 256)
        self.group3 = Group(256, 256)
        self.head = nn.Linear(256, 10, bias=False)

    def forward(self, x):
        x = functional.gelu(self.whiten(x))
        x = self.group3(self.group2(self.group1(x)))
        return self.head(functional.max_pool2d(x, 3).flatten(1)) / 9


def whitening_filters(images, kernel=2, eps=5e-4):
    """Eigenvectors of patches over the roots of their eigenvalues."""
    patches = functional.unfold(images, kernel)  # [N, C k k, places]
    patches = patches.transpose(1, 2).reshape(-1, patches.shape[1])
    values, vectors = torch.linalg.eigh(patches.T @ patches / len(patches))
    order = values.argsort(descending=True)
    return (vectors[:, order] / (values[order] + eps).sqrt()).T


def main():
    torch.manual_seed(SEED)
    net = CifarNet()
    crc = {
        name: f"{zlib.crc32(value.detach().numpy().tobytes()):08x}"
        for name, value in net.named_parameters()
    }
    images = pattern(4 * 3 * 32 * 32, 1).view(4, 3, 32, 32)
    net = net.double().train()
    outputs = net(images)
    functional.cross_entropy(outputs, torch.tensor([3, 0, 9, 1])).backward()
    norms = {
        name: value.grad.norm().item() for name, value in net.named_parameters()
    }
    evaluated = net.eval()(images)
    result = {
        "seed": SEED,
        "crc": crc,
        "outputs": outputs.flatten().tolist(),
        "evaluated": evaluated.flatten().tolist(),
        "gradient_norms": norms,
        "whitening": whitening_filters(images).flatten().tolist(),
    }
    (HERE / "cifarnet.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
