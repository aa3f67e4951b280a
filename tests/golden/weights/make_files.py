#!/usr/bin/env python3
"""Writes the files of tests/unit/networks/foreign_weights_test.cpp.

Each is written by the library whose format it is, from a small model with
random weights; logits.safetensors has what that model makes of the images, in
double precision. Needs torch 2.11, torchvision 0.26, timm 1.0.31, transformers
4.57.1, safetensors; for the .pdparams (`make_files.py paddle`, apart, since the
libraries do not agree on their dependencies) paddlepaddle 3.3.1.

    python3 tests/golden/weights/make_files.py
    python3 tests/golden/weights/make_files.py paddle

`make_files.py attention` writes those of BEiT, Swin V2, CaiT and XCiT, with any
transformers from 4.57 on, and adds their logits to logits.safetensors.
"""

import argparse
import collections
import pathlib
import re
import shutil
import sys
import tempfile

import numpy

HERE = pathlib.Path(__file__).resolve().parent
IMAGES, CLASSES = 3, 7


def pattern(count, seed):
    """Values in [-0.5, 0.5) of few bits, so that the files pack well."""
    k = numpy.arange(count, dtype=numpy.int64)
    return ((k * 7919 + seed * 104729) % 61).astype(numpy.float64) / 61 - 0.5


def images(size):
    return pattern(IMAGES * 3 * size * size, 5).reshape(IMAGES, 3, size, size)


def fill(model, torch):
    """Random weights, the same every time; variances stay positive."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for name, tensor in model.state_dict().items():
            if not tensor.is_floating_point():
                continue
            noise = torch.randint(-32, 33, tensor.shape, generator=generator)
            tensor.copy_(noise.to(tensor.dtype) / 64)
            if name.endswith("running_var"):
                tensor.abs_().add_(1)
            if tensor.dim() == 1 and name.endswith("weight"):
                tensor.add_(1)
    return model.eval()


# timm's names to those of others; checked below against timm's own readers.
ORIGINAL_CONVNEXT = [
    (r"^stem\.", "downsample_layers.0."),
    (r"^stages\.(\d+)\.downsample\.", r"downsample_layers.\1."),
    (r"^stages\.(\d+)\.blocks\.(\d+)\.conv_dw", r"stages.\1.\2.dwconv"),
    (r"^stages\.(\d+)\.blocks\.(\d+)\.mlp\.fc", r"stages.\1.\2.pwconv"),
    (r"^stages\.(\d+)\.blocks\.", r"stages.\1."),
    (r"^head\.norm", "norm"),
    (r"^head\.fc", "head"),
]
MM_VIT = [
    (r"^patch_embed\.proj", "backbone.patch_embed.projection"),
    (r"^(cls_token|pos_embed)", r"backbone.\1"),
    (r"^blocks\.(\d+)\.norm", r"backbone.layers.\1.ln"),
    (r"^blocks\.(\d+)\.mlp\.fc1", r"backbone.layers.\1.ffn.layers.0.0"),
    (r"^blocks\.(\d+)\.mlp\.fc2", r"backbone.layers.\1.ffn.layers.1"),
    (r"^blocks\.", "backbone.layers."),
    (r"^norm", "backbone.ln1"),
    (r"^head", "head.layers.head"),
]
MM_SWIN = [
    (r"^patch_embed\.proj", "backbone.patch_embed.projection"),
    (r"^patch_embed\.norm", "backbone.patch_embed.norm"),
    (r"^layers\.1\.downsample", "backbone.stages.0.downsample"),
    (r"^layers\.2\.downsample", "backbone.stages.1.downsample"),
    (r"^layers\.3\.downsample", "backbone.stages.2.downsample"),
    (r"^layers\.(\d+)\.blocks\.(\d+)\.attn", r"backbone.stages.\1.blocks.\2.attn.w_msa"),
    (r"^layers\.(\d+)\.blocks\.(\d+)\.mlp\.fc1",
     r"backbone.stages.\1.blocks.\2.ffn.layers.0.0"),
    (r"^layers\.(\d+)\.blocks\.(\d+)\.mlp\.fc2",
     r"backbone.stages.\1.blocks.\2.ffn.layers.1"),
    (r"^layers\.", "backbone.stages."),
    (r"^norm", "backbone.norm3"),
]
ORIGINAL_SWIN = [
    (r"^layers\.1\.downsample", "layers.0.downsample"),
    (r"^layers\.2\.downsample", "layers.1.downsample"),
    (r"^layers\.3\.downsample", "layers.2.downsample"),
    (r"^head\.fc", "head"),
]
PADDLE_VIT = [
    (r"^patch_embed\.proj", "patch_embedding.patch_embedding"),
    (r"^pos_embed", "position_embedding"),
    (r"^blocks\.(\d+)\.norm1", r"encoder.layers.\1.attn_norm"),
    (r"^blocks\.(\d+)\.norm2", r"encoder.layers.\1.mlp_norm"),
    (r"^blocks\.(\d+)\.attn\.proj", r"encoder.layers.\1.attn.out"),
    (r"^blocks\.", "encoder.layers."),
    (r"^norm", "encoder.encoder_norm"),
    (r"^head", "classifier"),
]
PADDLE_VOLO = [
    (r"^patch_embed\.conv", "patch_embed.stem"),
    (r"^network\.", "model."),
    (r"^post_network\.", "post_model."),
]
# Of depths 1, 2, 1: the third stage begins after block 4.
PADDLE_LEVIT_BLOCKS = ["stages.0.blocks.0", "stages.1.downsample",
                       "stages.1.blocks.0", "stages.1.blocks.1",
                       "stages.2.downsample", "stages.2.blocks.0"]
PADDLE_COAT = [
    (r"^cls_token1", "cls_tokens.0"),
    (r"^cls_token2", "cls_tokens.1"),
    (r"^cls_token3", "cls_tokens.2"),
    (r"^cls_token4", "cls_tokens.3"),
    *((fr"^{ours}{k + 1}\.{more}", f"{theirs}.{k}.{last}")
      for k in range(4) for ours, more, theirs, last in (
          ("patch_embed", "proj", "patch_embeds", "patch_embed"),
          ("patch_embed", "", "patch_embeds", ""),
          ("cpe", "", "cpes", ""),
          ("crpe", "", "crpes", ""),
          ("serial_blocks", "", "serial_blocks", ""))),
]


def renamed(state, rules):
    result = collections.OrderedDict()
    for name, value in state.items():
        for old, new in rules:
            if re.search(old, name):
                name = re.sub(old, new, name)
                break
        result[name] = value
    return result


def unfolded(state, torch):
    """Columns of the patch merging as nn.Unfold orders them."""
    state = dict(state)
    for name, value in state.items():
        if ".downsample." not in name:
            continue
        channels = value.shape[-1] // 4
        grid = torch.arange(channels * 4.0).reshape(1, channels, 2, 2)
        mm = torch.nn.functional.unfold(grid, 2, stride=2)[0, :, 0]
        # timm.models.swin_transformer.PatchMerging
        rows = grid.permute(0, 2, 3, 1)
        timm = rows.reshape(1, 1, 2, 1, 2, channels).permute(0, 1, 3, 4, 2, 5).flatten()
        place = {int(v): i for i, v in enumerate(timm)}
        order = torch.tensor([place[int(v)] for v in mm])
        state[name] = value[..., order].contiguous()
    return state


def paddle_levit(state):
    """timm's names of a LeViT to PaddleViT's."""
    result = {}
    for name, value in state.items():
        for k, block in enumerate(PADDLE_LEVIT_BLOCKS):
            name = re.sub(f"^{re.escape(block)}\\.", f"blocks.{k}.", name)
        for k in range(4):
            name = name.replace(f"stem.conv{k + 1}.linear", f"patch_embed.{2 * k}.conv")
            name = name.replace(f"stem.conv{k + 1}.", f"patch_embed.{2 * k}.")
        for ours, theirs in (("attn_downsample", "attn"), (".proj.ln", ".proj.1"),
                             (".q.ln", ".q.1"), ("attention_biases", "attn_biases"),
                             (".bn.", ".norm.")):
            name = name.replace(ours, theirs)
        result[name] = value
    return result


def vit_npz(state, heads):
    """A timm ViT as vision_transformer of Google saves it."""
    width = state["pos_embed"].shape[-1]
    arrays = {
        "cls": state["cls_token"],
        "embedding/kernel": state["patch_embed.proj.weight"].permute(2, 3, 1, 0),
        "embedding/bias": state["patch_embed.proj.bias"],
        "Transformer/posembed_input/pos_embedding": state["pos_embed"],
        "Transformer/encoder_norm/scale": state["norm.weight"],
        "Transformer/encoder_norm/bias": state["norm.bias"],
        "head/kernel": state["head.weight"].T,
        "head/bias": state["head.bias"],
    }
    depth = 1 + max(int(n.split(".")[1]) for n in state if n.startswith("blocks."))
    for i in range(depth):
        ours, theirs = f"blocks.{i}.", f"Transformer/encoderblock_{i}/"
        for norm, number in (("norm1", 0), ("norm2", 2)):
            arrays[f"{theirs}LayerNorm_{number}/scale"] = state[f"{ours}{norm}.weight"]
            arrays[f"{theirs}LayerNorm_{number}/bias"] = state[f"{ours}{norm}.bias"]
        attention = theirs + "MultiHeadDotProductAttention_1/"
        for k, part in enumerate(("query", "key", "value")):
            rows = slice(k * width, (k + 1) * width)
            weight = state[ours + "attn.qkv.weight"][rows]
            arrays[f"{attention}{part}/kernel"] = weight.T.reshape(width, heads, -1)
            bias = state[ours + "attn.qkv.bias"][rows]
            arrays[f"{attention}{part}/bias"] = bias.reshape(heads, -1)
        out = state[ours + "attn.proj.weight"].T
        arrays[attention + "out/kernel"] = out.reshape(heads, -1, width)
        arrays[attention + "out/bias"] = state[ours + "attn.proj.bias"]
        for k in (0, 1):
            dense = f"{theirs}MlpBlock_3/Dense_{k}/"
            arrays[dense + "kernel"] = state[f"{ours}mlp.fc{k + 1}.weight"].T
            arrays[dense + "bias"] = state[f"{ours}mlp.fc{k + 1}.bias"]
    return {name: numpy.ascontiguousarray(a.numpy()) for name, a in arrays.items()}
# As the published files have it; transformers from 5 on renames when loading.
TRANSFORMERS_BEIT = [
    (r"^(cls_token)", r"embeddings.\1"),
    (r"^patch_embed\.proj", "embeddings.patch_embeddings.projection"),
    (r"^blocks\.(\d+)\.norm1", r"encoder.layer.\1.layernorm_before"),
    (r"^blocks\.(\d+)\.norm2", r"encoder.layer.\1.layernorm_after"),
    (r"^blocks\.(\d+)\.gamma", r"encoder.layer.\1.lambda"),
    (r"^blocks\.(\d+)\.attn\.proj", r"encoder.layer.\1.attention.output.dense"),
    (r"^blocks\.(\d+)\.attn\.relative",
     r"encoder.layer.\1.attention.attention.relative_position_bias.relative"),
    (r"^blocks\.(\d+)\.attn\.q_bias", r"encoder.layer.\1.attention.attention.query.bias"),
    (r"^blocks\.(\d+)\.attn\.v_bias", r"encoder.layer.\1.attention.attention.value.bias"),
    (r"^blocks\.(\d+)\.attn\.(\w+)\.weight",
     r"encoder.layer.\1.attention.attention.\2.weight"),
    (r"^blocks\.(\d+)\.mlp\.fc1", r"encoder.layer.\1.intermediate.dense"),
    (r"^blocks\.(\d+)\.mlp\.fc2", r"encoder.layer.\1.output.dense"),
    (r"^fc_norm", "pooler.layernorm"),
]
ORIGINAL_XCIT = [(r"^pos_embed\.", "pos_embeder.")]
PADDLE_CAIT = [(r"^patch_embed\.proj", "patch_embed.patch_embed")]


def main():
    import timm
    import torch
    import transformers
    from safetensors.torch import save_file
    from timm.models import convnext as timm_convnext
    from timm.models import swin_transformer as timm_swin
    from timm.models.volo import VOLO
    from torchvision.models import convnext as tv_convnext
    from torchvision.models import swin_transformer as tv_swin
    from torchvision.models.vision_transformer import VisionTransformer

    logits = {}

    def run(case, model, size):
        with torch.no_grad():
            out = model.double()(torch.from_numpy(images(size)))
        logits[case] = out if isinstance(out, torch.Tensor) else out.logits
        return collections.OrderedDict(
            (n, t.float() if t.is_floating_point() else t)
            for n, t in model.state_dict().items())

    def norm(width):
        return torch.nn.LayerNorm(width, eps=1e-6)

    vit = VisionTransformer(32, 8, 2, 2, 16, 64, num_classes=CLASSES)
    state = run("torchvision_vit", fill(vit, torch), 32)
    torch.save(state, HERE / "torchvision_vit.pth")

    swin = tv_swin.SwinTransformer([4, 4], 4, [2, 1, 1, 2], [1, 1, 2, 2], [7, 7],
                                   num_classes=CLASSES)
    state = run("torchvision_swin", fill(swin, torch), 224)
    # As trainers save: much beside the weights, and wrapped by DDP.
    wrapped = {"module." + name: value for name, value in state.items()}
    torch.save(
        {"epoch": 3, "arch": "swin", "state_dict": wrapped,
         "optimizer": {"state": {0: {"exp_avg": torch.zeros(2)}}, "param_groups": []},
         "args": argparse.Namespace(lr=0.1, path=pathlib.PurePosixPath("/data"))},
        HERE / "torchvision_swin.pth", _use_new_zipfile_serialization=False)

    block = tv_convnext.CNBlockConfig
    net = tv_convnext.ConvNeXt(
        [block(8, 12, 1), block(12, 16, 2), block(16, 20, 1), block(20, None, 1)],
        num_classes=CLASSES)
    state = run("torchvision_convnext", fill(net, torch), 64)
    # The averaged weights are meant, not those beside them.
    zeros = {name: torch.zeros_like(value) for name, value in state.items()}
    torch.save({"model": zeros, "model_ema": state, "scaler": None},
               HERE / "torchvision_convnext.pt")

    common = dict(num_labels=CLASSES, image_size=32)
    net = transformers.ViTForImageClassification(transformers.ViTConfig(
        hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, patch_size=8, layer_norm_eps=1e-6, **common))
    save_file(run("transformers_vit", fill(net, torch), 32),
              HERE / "transformers_vit.safetensors")
    net = transformers.SwinForImageClassification(transformers.SwinConfig(
        num_labels=CLASSES, image_size=224, embed_dim=4, depths=[2, 1, 1, 2],
        num_heads=[1, 1, 2, 2], window_size=7))
    torch.save(run("transformers_swin", fill(net, torch), 224),
               HERE / "transformers_swin.bin")
    for version, config, make in (
            ("", transformers.ConvNextConfig, transformers.ConvNextForImageClassification),
            ("v2", transformers.ConvNextV2Config,
             transformers.ConvNextV2ForImageClassification)):
        net = make(config(hidden_sizes=[8, 12, 16, 20], depths=[1, 2, 1, 1],
                          layer_norm_eps=1e-6, **common))
        case = f"transformers_convnext{version}"
        save_file(run(case, fill(net, torch), 64), HERE / f"{case}.safetensors")

    small = dict(num_classes=CLASSES)
    net = timm.create_model("convnext_tiny", depths=(1, 2, 1, 1), dims=(8, 12, 16, 20), **small)
    state = run("original_convnext", fill(net, torch), 64)
    original = renamed(state, ORIGINAL_CONVNEXT)
    back = timm_convnext.checkpoint_filter_fn(dict(original), net)
    assert all(torch.equal(back[name], value) for name, value in state.items())
    torch.save({"model": original}, HERE / "original_convnext.pth")

    net = timm.create_model(
        "swin_tiny_patch4_window7_224", embed_dim=4, depths=(2, 1, 1, 2),
        num_heads=(1, 1, 2, 2), **small)
    state = run("original_swin", fill(net, torch), 224)
    original = renamed(state, ORIGINAL_SWIN)
    back = timm_swin.checkpoint_filter_fn(dict(original), net)
    assert all(torch.equal(back[name], value) for name, value in state.items())
    torch.save({"model": original}, HERE / "original_swin.pth")
    mm = renamed(unfolded(state, torch), MM_SWIN)
    torch.save({"state_dict": mm, "meta": {"epoch": 1}}, HERE / "mmpretrain_swin.pth")

    net = timm.create_model(
        "vit_tiny_patch16_224", img_size=32, patch_size=8, embed_dim=16, depth=2,
        num_heads=2, **small)
    state = run("timm_vit", fill(net, torch), 32)
    torch.save({"state_dict": renamed(state, MM_VIT)}, HERE / "mmpretrain_vit.pth")
    numpy.savez_compressed(HERE / "flax_vit.npz", **vit_npz(state, heads=2))
    other = timm.create_model(
        "vit_tiny_patch16_224", img_size=32, patch_size=8, embed_dim=16, depth=2,
        num_heads=2, **small)
    other.load_pretrained(str(HERE / "flax_vit.npz"))
    for name, value in other.state_dict().items():
        assert torch.equal(value, state[name]), name
    # A whole module, in halves of views of one storage.
    flat = torch.cat([value.flatten() for value in state.values()]).half()
    views, start = {}, 0
    for name, value in state.items():
        views[name] = flat[start:start + value.numel()].view(value.shape)
        start += value.numel()
    torch.save(views, HERE / "timm_vit_views.pth")
    numpy.savez(HERE / "timm_vit.npz", **{n: v.numpy() for n, v in state.items()})

    # timm's values under PaddleViT's names; how its files lie is one matter for
    # all models, and in paddle_vit.pdparams.
    net = VOLO((1, 1, 0, 1), img_size=32, embed_dims=(4, 8, 8, 8),
               num_heads=(1, 2, 2, 2), stem_hidden_dim=4, **small)
    state = run("timm_volo", fill(net, torch), 32)
    numpy.savez_compressed(
        HERE / "paddle_volo.npz",
        **{n: v.numpy() for n, v in renamed(state, PADDLE_VOLO).items()})
    net = timm.create_model("levit_128s", img_size=64, embed_dim=(16, 24, 20),
                            key_dim=4, num_heads=(2, 3, 2), depth=(1, 2, 1), **small)
    state = run("timm_levit", fill(net, torch), 64)
    numpy.savez_compressed(
        HERE / "paddle_levit.npz",
        **{n: v.numpy() for n, v in paddle_levit(state).items()})
    net = transformers.LevitForImageClassificationWithTeacher(transformers.LevitConfig(
        num_labels=CLASSES, image_size=64, hidden_sizes=[16, 24, 20], depths=[1, 2, 1],
        num_attention_heads=[2, 3, 2], key_dim=[4, 4, 4]))
    save_file(run("transformers_levit", fill(net, torch), 64),
              HERE / "transformers_levit.safetensors")
    coat = dict(img_size=64, serial_depths=(1, 1, 1, 2), mlp_ratios=(2, 2, 2, 2), **small)
    net = timm.create_model("coat_lite_tiny", embed_dims=(8, 8, 16, 8), **coat)
    state = run("timm_coat_lite", fill(net, torch), 64)
    numpy.savez_compressed(
        HERE / "paddle_coat_lite.npz",
        **{n: v.numpy() for n, v in renamed(state, PADDLE_COAT).items()})
    # What its blocks share has a name in each.
    net = timm.create_model("coat_tiny", embed_dims=(8, 8, 8, 8), parallel_depth=1, **coat)
    torch.save(run("timm_coat", fill(net, torch), 64), HERE / "timm_coat.pth")
    save_file({n: v.contiguous() for n, v in logits.items()}, HERE / "logits.safetensors")


def paddle_files():
    import paddle

    state = dict(numpy.load(HERE / "timm_vit.npz"))
    for name, value in state.items():
        if name.endswith(".weight") and value.ndim == 2:
            state[name] = value.T
    theirs = renamed(state, PADDLE_VIT)
    tensors = collections.OrderedDict(
        (name, paddle.to_tensor(numpy.ascontiguousarray(value)))
        for name, value in theirs.items())
    paddle.save(tensors, str(HERE / "paddle_vit.pdparams"))
    paddle.save(tensors, str(HERE / "paddle_vit_2.pdparams"), protocol=2)
    zeros = collections.OrderedDict((n, v * 0) for n, v in tensors.items())
    paddle.save({"model": zeros, "model_ema": tensors, "epoch": 3, "optimizer": {}},
                str(HERE / "paddle_vit_nested.pdparams"))


def beit_file(timm, torch, transformers, run, save_file):
    net = fill(timm.create_model(
        "beit_base_patch16_224", img_size=32, patch_size=8, embed_dim=16, depth=2,
        num_heads=2, num_classes=CLASSES), torch)
    state = run("transformers_beit", net, 32)
    for name in [name for name in state if name.endswith("qkv.weight")]:
        parts = state.pop(name).chunk(3)
        for kind, value in zip(("query", "key", "value"), parts):
            state[name.replace("qkv", kind)] = value.clone()
    theirs = {("beit." if not name.startswith("head") else "") + other: value
              for (name, value), other in zip(
                  state.items(), renamed(state, TRANSFORMERS_BEIT))}
    theirs = {re.sub("^head", "classifier", name): value
              for name, value in theirs.items()}
    save_file(theirs, HERE / "transformers_beit.safetensors", {"format": "pt"})
    config = transformers.BeitConfig(
        image_size=32, patch_size=8, hidden_size=16, num_hidden_layers=2,
        num_attention_heads=2, intermediate_size=64, layer_norm_eps=1e-6,
        use_relative_position_bias=True, use_mean_pooling=True, num_labels=CLASSES)
    with tempfile.TemporaryDirectory() as folder:
        config.save_pretrained(folder)
        shutil.copy(HERE / "transformers_beit.safetensors",
                    pathlib.Path(folder) / "model.safetensors")
        other = transformers.BeitForImageClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        out = other.double()(torch.from_numpy(images(32))).logits
        assert torch.allclose(out, net(torch.from_numpy(images(32))), rtol=1e-10)


def attention_files():
    import timm
    import torch
    import transformers
    from safetensors.torch import load_file, save_file
    from timm.models import xcit as timm_xcit

    logits = load_file(HERE / "logits.safetensors")

    def run(case, model, size):
        with torch.no_grad():
            out = model.double()(torch.from_numpy(images(size)))
        logits[case] = out if isinstance(out, torch.Tensor) else out.logits
        return collections.OrderedDict(
            (n, t.float() if t.is_floating_point() else t)
            for n, t in model.state_dict().items())

    beit_file(timm, torch, transformers, run, save_file)
    net = transformers.Swinv2ForImageClassification(transformers.Swinv2Config(
        num_labels=CLASSES, image_size=32, embed_dim=4, depths=[2, 1, 1, 1],
        num_heads=[1, 1, 2, 2], window_size=4, pretrained_window_sizes=[3, 0, 0, 0]))
    save_file(run("transformers_swinv2", fill(net, torch), 32),
              HERE / "transformers_swinv2.safetensors")

    net = timm.create_model("cait_xxs24_224", img_size=32, patch_size=8, embed_dim=16,
                            depth=2, num_heads=2, num_classes=CLASSES)
    state = run("cait", fill(net, torch), 32)
    save_file(renamed(state, PADDLE_CAIT), HERE / "paddlevit_cait.safetensors")

    net = timm.create_model("xcit_tiny_12_p8_224", img_size=32, embed_dim=16, depth=2,
                            num_heads=2, num_classes=CLASSES)
    state = run("original_xcit", fill(net, torch), 32)
    original = renamed(state, ORIGINAL_XCIT)
    for name in [name for name in original if re.search(r"cls_\w+\.\d\.attn\.q\.", name)]:
        original[name.replace(".q.", ".qkv.")] = torch.cat(
            [original.pop(name.replace(".q.", f".{kind}.")) for kind in "qkv"])
    back = timm_xcit.checkpoint_filter_fn(dict(original), net)
    assert all(torch.equal(back[name], value) for name, value in state.items())
    torch.save({"model": original}, HERE / "original_xcit.pth")
    save_file({n: v.contiguous() for n, v in logits.items()}, HERE / "logits.safetensors")


if __name__ == "__main__":
    parts = {"paddle": paddle_files, "attention": attention_files}
    parts.get(" ".join(sys.argv[1:]), main)()
