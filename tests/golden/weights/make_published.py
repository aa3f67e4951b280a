#!/usr/bin/env python3
"""Writes published/: config.json and preprocessor_config.json as timm and
transformers write them into a folder of weights, and expected.json with what
their own code does to images by them.

Of transformers' image processors that is measured: black and white images give
mean and deviation, a ramp of 512 x 256 pixels gives the columns that are seen.

Needs timm (1.0.31), transformers (5.0), torch, numpy and Pillow.

    python3 tests/golden/weights/make_published.py
"""

import json
import pathlib

import numpy
from PIL import Image
from timm.data import resolve_data_config
from timm.models._hub import _parse_model_cfg
from transformers import (BeitImageProcessor, BitImageProcessor, ConvNextImageProcessor,
                          DeiTImageProcessor, EfficientNetImageProcessor, LevitImageProcessor,
                          MobileViTImageProcessor, PoolFormerImageProcessor, ViTImageProcessor)

HERE = pathlib.Path(__file__).resolve().parent / "published"
WIDTH, HEIGHT = 512, 256

PROCESSORS = {
    "vit": ViTImageProcessor(),
    "vit_imagenet": ViTImageProcessor(image_mean=[0.485, 0.456, 0.406],
                                      image_std=[0.229, 0.224, 0.225], resample=3),
    "vit_unscaled": ViTImageProcessor(rescale_factor=1 / 127.5, image_mean=[1.0] * 3,
                                      image_std=[1.0] * 3),
    "vit_not_normalised": ViTImageProcessor(do_normalize=False),
    "deit": DeiTImageProcessor(),
    "beit": BeitImageProcessor(size={"height": 256, "width": 256}, do_center_crop=True),
    "convnext_224": ConvNextImageProcessor(size={"shortest_edge": 224}),
    "convnext_384": ConvNextImageProcessor(size={"shortest_edge": 384}, crop_pct=1.0),
    "resnet": ConvNextImageProcessor(size={"shortest_edge": 224}, crop_pct=0.875, resample=2),
    "dinov2": BitImageProcessor(size={"shortest_edge": 256}, image_mean=[0.485, 0.456, 0.406],
                                image_std=[0.229, 0.224, 0.225]),
    "levit": LevitImageProcessor(),
    "poolformer": PoolFormerImageProcessor(crop_pct=0.9),
    "mobilevit": MobileViTImageProcessor(size={"shortest_edge": 288}, do_flip_channel_order=False,
                                         do_normalize=False),
    "efficientnet": EfficientNetImageProcessor(do_center_crop=True, resample=0,
                                               image_mean=[0.485, 0.456, 0.406],
                                               image_std=[0.47853944, 0.4732864, 0.47434163]),
}
# As files before transformers 4.26 have them.
OLD = {
    "old_vit": {"do_normalize": True, "do_resize": True, "feature_extractor_type":
                "ViTFeatureExtractor", "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5],
                "resample": 2, "size": 224},
    "old_convnext": {"crop_pct": 0.875, "do_normalize": True, "do_resize": True,
                     "feature_extractor_type": "ConvNextFeatureExtractor",
                     "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225],
                     "resample": 3, "size": 224},
    "old_deit": {"crop_size": 224, "do_center_crop": True, "do_normalize": True, "do_resize": True,
                 "feature_extractor_type": "DeiTFeatureExtractor",
                 "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225],
                 "resample": 3, "size": 256},
    # Without crop_pct and without do_normalize.
    "old_poolformer": {"crop_size": 224, "do_normalize": True,
                       "feature_extractor_type": "PoolFormerFeatureExtractor",
                       "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225],
                       "resample": 3, "size": 224},
    "old_mobilevit": {"crop_size": 256, "do_center_crop": True, "do_flip_channel_order": False,
                      "do_resize": True, "feature_extractor_type": "MobileViTFeatureExtractor",
                      "resample": 2, "size": 288},
}
FILTERS = ["nearest", "lanczos", "bilinear", "bicubic", "box", "hamming"]

TIMM = {
    "timm": {"architecture": "vit_tiny_patch16_224", "num_classes": 3, "num_features": 192,
             "global_pool": "token", "pretrained_cfg": {
                 "tag": "augreg_in21k_ft_in1k", "custom_load": True, "input_size": [3, 224, 224],
                 "fixed_input_size": True, "interpolation": "bicubic", "crop_pct": 0.9,
                 "crop_mode": "center", "mean": [0.5, 0.5, 0.5], "std": [0.5, 0.5, 0.5],
                 "num_classes": 3, "pool_size": None, "classifier": "head"},
             "label_names": ["n1", "n2", "n3"]},
    "timm_test_size": {"architecture": "resnet50", "num_classes": 1000, "pretrained_cfg": {
        "input_size": [3, 224, 224], "test_input_size": [3, 288, 288], "crop_pct": 0.95,
        "test_crop_pct": 1.0, "crop_mode": "squash", "interpolation": "bilinear",
        "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "num_classes": 1000}},
    "timm_old": {"architecture": "efficientnet_b0", "num_classes": 2, "crop_pct": 0.875,
                 "input_size": [3, 192, 256], "interpolation": "bicubic", "mean": [0.1, 0.2, 0.3],
                 "std": [0.4, 0.5, 0.6], "labels": ["ant", "bee"]},
}


def constant(processor, level):
    image = Image.fromarray(numpy.full((HEIGHT, WIDTH, 3), level, numpy.uint8))
    return numpy.asarray(processor(image, return_tensors="np")["pixel_values"][0], numpy.float64)


def measure(processor):
    black, white = constant(processor, 0), constant(processor, 255)
    side = black.shape[-1]
    middle = (slice(None), side // 2, side // 2)
    std = 1.0 / (white[middle] - black[middle])
    mean = -black[middle] * std
    # Half of the columns are black: a level of 255 (x - a) / b would be rounded too coarsely.
    columns = []
    for edge in range(0, WIDTH + 1, 4):
        ramp = numpy.zeros((HEIGHT, WIDTH, 3), numpy.uint8)
        ramp[:, :edge] = 255
        seen = numpy.asarray(
            processor(Image.fromarray(ramp), return_tensors="np")["pixel_values"][0])
        columns.append(float(((seen[0, side // 2] - black[0, side // 2]) /
                              (white[0, side // 2] - black[0, side // 2])).mean()))
    share = numpy.interp([0.25, 0.75], columns, range(0, WIDTH + 1, 4))
    return {"image_size": side, "mean": mean.tolist(), "std": std.tolist(),
            "columns": 2 * float(share[1] - share[0])}


def main():
    HERE.mkdir(exist_ok=True)
    expected = {}

    def write(name, file, content):
        (HERE / name).mkdir(exist_ok=True)
        (HERE / name / file).write_text(json.dumps(content, indent=1) + "\n")

    olds = {"old_vit": ViTImageProcessor, "old_convnext": ConvNextImageProcessor,
            "old_deit": DeiTImageProcessor, "old_poolformer": PoolFormerImageProcessor,
            "old_mobilevit": MobileViTImageProcessor}
    for name, content in OLD.items():
        PROCESSORS[name] = olds[name](**{k: v for k, v in content.items()
                                         if k != "feature_extractor_type"})
    for name, processor in PROCESSORS.items():
        content = OLD.get(name) or json.loads(processor.to_json_string())
        write(name, "preprocessor_config.json", content)
        expected[name] = measure(processor) | {"filter": FILTERS[int(processor.resample)]}
    write("vit", "config.json", {"architectures": ["ViTForImageClassification"],
                                 "model_type": "vit", "image_size": 224,
                                 "id2label": {"1": "dog", "0": "cat", "2": "fox"}})
    expected["vit"]["classes"] = ["cat", "dog", "fox"]
    write("deit", "config.json", {"architectures": ["DeiTForImageClassification"],
                                  "model_type": "deit",
                                  "id2label": {"0": "LABEL_0", "1": "LABEL_1"}})
    expected["deit"]["classes"] = ["0", "1"]

    for name, content in TIMM.items():
        write(name, "config.json", content)
        expected[name] = {}
        for use in ("training", "evaluation"):
            cfg, architecture, _ = _parse_model_cfg(json.loads(json.dumps(content)), {})
            data = resolve_data_config(pretrained_cfg=cfg, use_test_size=use == "evaluation")
            expected[name][use] = {
                "architecture": architecture, "image_size": list(data["input_size"][1:]),
                "mean": list(data["mean"]), "std": list(data["std"]),
                "filter": data["interpolation"], "crop_pct": data["crop_pct"],
                "crop_mode": data["crop_mode"], "num_classes": cfg["num_classes"],
                "classes": cfg.get("label_names", [])}
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()
