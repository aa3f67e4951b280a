"""The peers of parity_export.sh: timm, torch.jit and ONNX Runtime.

usage: export_models.py VITRAIN FOLDER [NAME...]
"""

import json
import pathlib
import subprocess
import sys

import numpy
import onnx
import onnxruntime
import safetensors.torch
import timm
import torch
import torchvision.models

BATCHES = (1, 3, 4)
CLASSES = 10
TOLERANCE = 1e-4
OWN = ("mnist_convnet", "mlp", "hvt_ti_1_patch16_224")  # runs in FOLDER
# Bytes of weights above which ONNX stores them in a second file.
MOST_INLINE = (2 << 30) - (64 << 20)
# One network for each feature of the families; names that this version of vitrain does
# not have are skipped.
NAMES = """
vit_tiny_patch16_224 vit_tiny_r_s16_p8_224 vit_base_patch16_clip_quickgelu_224
vit_base_patch32_clip_224 vit_small_patch14_reg4_dinov2
vit_medium_patch16_gap_240 vit_base_patch16_siglip_224
vit_base_patch16_xp_224 vit_dpwee_patch16_reg1_gap_256
vit_small_patch16_18x2_224 vit_base_patch16_rpn_224
deit_tiny_patch16_224 deit_tiny_distilled_patch16_224
deit3_small_patch16_224 swin_tiny_patch4_window7_224 resnet18 resnet50
seresnet18 ecaresnetlight senet154 resnetblur18 resnetaa50d resnetrs50 resnet50_gn
skresnet18 skresnext50_32x4d resnest14d resnest50d_4s2x40d res2net50_14w_8s
resnetv2_18d resnetv2_50t resnetv2_50x1_bit seresnext26ts mixnet_s tf_mixnet_s
convnext_atto convnext_atto_ols convnext_tiny_in22k convnextv2_atto
mixer_s32_224 gmixer_12_224 resmlp_12_224 gmlp_ti16_224 cait_xxs24_224
beit_base_patch16_224 beitv2_base_patch16_224
swinv2_tiny_window8_256 xcit_nano_12_p8_224
pvt_v2_b0 pvt_v2_b2_li poolformer_s12 poolformerv2_s12 pit_ti_224
pit_ti_distilled_224 pit_s_224 crossvit_tiny_240 crossvit_9_dagger_240
convmixer_768_32 convmixer_1024_20_ks9_p14 volo_d1_224 coat_tiny
coat_lite_tiny levit_128s levit_conv_128s levit_256 efficientnet_b0
efficientnet_lite0 tf_efficientnet_b0 tf_efficientnetv2_b0
efficientnet_es mobilenetv1_100 mobilenetv2_050 mnasnet_small mobilenetv3_small_050
tf_mobilenetv3_large_minimal_100 lcnet_035 mobilenetv4_conv_small_035
mobilenetv4_conv_aa_medium mobilenetv4_hybrid_medium_075 ghostnet_050
densenet121 inception_v3 alexnet squeezenet1_0 shufflenet_v2_x0_5 googlenet
regnetx_002 regnety_002 mobileone_s0 mobileone_s4 mobilevit_xxs
mobilevitv2_050 halonet26t halonet50ts sehalonet33ts botnet26t_256
eca_botnext26ts_256 mnist_convnet mlp hvt_ti_1_patch16_224
""".split()


def random_timm(name, side):
    """Returns a timm network with random weights and statistics, so that no default value
    hides a mistake."""
    torch.manual_seed(0)
    size = {"img_size": int(side)} if side else {}
    if timm.is_model(name):
        model = timm.create_model(name, num_classes=CLASSES, **size).eval()
    else:  # torchvision's, without auxiliary classifiers
        auxiliary = {"aux_logits": False} if name == "googlenet" else {}
        model = torchvision.models.get_model(name, num_classes=CLASSES, **auxiliary).eval()
    for parameter in model.parameters():
        parameter.data += 0.02 * torch.randn_like(parameter)
    for key, buffer in model.named_buffers():
        if key.endswith("running_mean"):
            buffer += 0.1 * torch.randn_like(buffer)
        elif key.endswith("running_var"):
            buffer *= 0.75 + 0.5 * torch.rand_like(buffer)
    return model


def export(vitrain, options, kind, path):
    command = [vitrain, "export", *options, "-format", kind, "-output", path]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise RuntimeError(result.stderr.strip() or result.stdout.strip())


def difference(value, expected):
    scale = expected.abs().max().item()
    return (value - expected).abs().max().item() / scale


def compare(vitrain, folder, name):
    name, _, side = name.partition("@")
    model = None
    if name in OWN:
        run = next((folder / name).iterdir())
        options = ["-pretrained", run]
    else:
        model = random_timm(name, side)
        weights = folder / f"{name}.weights.safetensors"
        safetensors.torch.save_file(
            {k: v.clone() for k, v in model.state_dict().items()}, weights)
        options = ["-pretrained", weights, "-set", f"model.name={name}",
                   "-set", f"model.num_classes={CLASSES}"]
        if side:
            options += ["-set", f"model.image_size={side}"]
    paths = {kind: folder / f"{name}.{kind}"
             for kind in ("safetensors", "torchscript", "onnx")}
    for kind, path in paths.items():
        export(vitrain, options, kind, path)

    extra = {"vitrain.json": ""}
    module = torch.jit.load(paths["torchscript"], _extra_files=extra).eval()
    described = json.loads(extra["vitrain.json"])
    state = safetensors.torch.load_file(paths["safetensors"])
    same = all(torch.equal(state[k], v) for k, v in module.state_dict().items())
    if model is not None:
        model.load_state_dict(state, strict=True)
        same = same and set(module.state_dict()) <= set(model.state_dict())

    large = sum(v.numel() * v.element_size() for v in state.values()) > MOST_INLINE
    same = same and paths["onnx"].with_suffix(".onnx.data").exists() == large
    del state

    onnx.checker.check_model(paths["onnx"], full_check=True)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        paths["onnx"], options, providers=["CPUExecutionProvider"])
    metadata = session.get_modelmeta().custom_metadata_map
    same = same and metadata["model"] == described["model"] == name
    to_timm, to_onnx = 0.0, 0.0
    for batch in BATCHES:
        images = torch.randn(batch, *described["input_size"])
        with torch.no_grad():
            ours = module(images)
            if model is not None:
                to_timm = max(to_timm, difference(model(images), ours))
        [logits] = session.run(["logits"], {"images": images.numpy()})
        to_onnx = max(to_onnx, difference(torch.from_numpy(logits), ours))
    for path in folder.glob(f"{name}.*"):
        path.unlink()
    return to_timm if model is not None else None, to_onnx, same


def main():
    vitrain, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    torch.set_num_threads(2)
    listed = subprocess.run(
        [vitrain, "models"], capture_output=True, text=True, check=True).stdout
    known = {line.split()[0] for line in listed.splitlines() if line.strip()}
    names = sys.argv[3:] or [name for name in NAMES if name in known]
    print(f"onnxruntime {onnxruntime.__version__}, torch {torch.__version__}, "
          f"timm {timm.__version__}, numpy {numpy.__version__}")
    print(f"{'network':38} {'timm':>9} {'onnx':>9}  tensors")
    good = True
    for name in names:
        try:
            to_timm, to_onnx, same = compare(vitrain, folder, name)
        except Exception as error:  # continues with the next network
            print(f"{name:38} failed: {error}", flush=True)
            good = False
            continue
        good = good and same and to_onnx <= TOLERANCE
        good = good and (to_timm is None or to_timm <= TOLERANCE)
        timm_text = "-" if to_timm is None else f"{to_timm:.1e}"
        print(f"{name:38} {timm_text:>9} {to_onnx:9.1e}  "
              f"{'the same' if same else 'DIFFER'}", flush=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
