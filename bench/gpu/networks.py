"""The networks that parts B, C and F measure."""

import dataclasses


@dataclasses.dataclass
class Network:
    label: str
    name: str  # in vitrain and in timm
    drop_path: float = 0.0
    small: tuple = ()  # settings that make it small
    batch: int = 256

    def settings(self, precision, steps, **more):
        """Settings of a run of bench_models.yaml, with generated images."""
        values = {
            "model.name": self.name, "train.precision": precision, "data.batch_size": self.batch,
            "data.train.count": steps * self.batch, "run.epochs": 1, "run.max_steps": steps,
            "checkpoint.every": "1ep", **more}
        if self.drop_path:
            values["model.drop_path"] = self.drop_path
        return [f"{name}={value}" for name, value in values.items()] + list(self.small)


WHOLE = [
    Network("ViT-S/16", "vit_small_patch16_224", 0.1),
    Network("ViT-B/16", "vit_base_patch16_224", 0.1),
    Network("ResNet-50", "resnet50"),
]

# Same network as tiny_vit in peer_train.py.
TINY = [Network(
    "tiny ViT", "vit_tiny_patch16_224", 0.1,
    ("model.image_size=32", "model.patch_size=8", "model.embed_dim=64", "model.depth=2",
     "model.num_heads=2", "data.train.size=32", "data.eval.size=32", "data.train.classes=10",
     "data.eval.classes=10"), 8)]


def networks(machine):
    return TINY if machine.quick else WHOLE
