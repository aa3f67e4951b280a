#!/bin/sh
# Trains with run.determinism: elastic on 1, 2, 4 and 8 workers, and on 8, then 2, then 4
# with resumes between, a ViT and a ResNet; prints the SHA-256 of each result (weights,
# average and optimizer state). Fails if those of a network differ.
#
# usage: bench/elastic_bits.sh [steps]     default: 200
set -eu

steps=${1:-200}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-bits.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cat >"$work/run.yaml" <<END
run: {epochs: 1000, max_steps: $steps, determinism: elastic, name: r}
model: {image_size: 32}
data:
  train: {kind: shapes, count: 1000, size: 32}
  eval: {kind: shapes, count: 32, size: 32, seed: 1}
  batch_size: 2
  sampler: {last_batch: keep}
  augment: {crop: pad, padding: 4, mixup: 0.8, cutmix: 1.0}
optim: {clip_norm: 1.0}
train: {ema: {decay: 0.99}}
schedule: {warmup: 10st}
eval: {every: 1000ep}
checkpoint: {every: 1000ep}
END

# train FOLDER DEVICES OPTION...: trains, or continues, a run in that folder.
train() {
  folder=$1 devices=$2
  shift 2
  code=0
  # shellcheck disable=SC2086 # settings of the network
  "$root/build/release/vitrain" -cfg "$work/run.yaml" $network -output "$work/$folder" \
    -devices "cpu:$devices" "$@" >"$work/log" 2>&1 || code=$?
  if [ $code != 0 ] && [ $code != 75 ]; then
    cat "$work/log" >&2
    exit 1
  fi
}

# bits FOLDER: prints the SHA-256 of the files of its run's last checkpoint.
bits() {
  (cd "$work/$1"/r-*/checkpoints/step-"$(printf %09d "$steps")" &&
    cat ema.safetensors model.safetensors optimizer.safetensors | sha256sum | cut -c1-64)
}

failed=0
for name in vit resnet; do
  if [ $name = vit ]; then
    network='-set model.name=vit_tiny_patch16_224 -set model.patch_size=8 -set model.depth=4
      -set model.drop_path=0.1 -set optim.name=adamw -set train.precision=bf16 -set dist.zero1=true'
  else
    network='-set model.name=resnet18 -set optim.name=sgd -set optim.lr=0.05 -set train.precision=fp32'
  fi
  rm -rf "$work"/run-*
  for workers in 1 2 4 8; do
    train "run-$workers" "$workers"
    echo "$name, $workers workers: $(bits "run-$workers")"
    bits "run-$workers" >>"$work/$name"
  done
  third=$((steps / 3))
  train run-all 8 -set run.stop_after="${third}st"
  train run-all 2 -resume auto -set run.stop_after="${third}st"
  train run-all 4 -resume auto -set run.stop_after=null
  echo "$name, 8, 2, 4 workers: $(bits run-all)"
  bits run-all >>"$work/$name"
  if [ "$(sort -u "$work/$name" | wc -l)" != 1 ]; then failed=1; fi
done
[ $failed = 0 ] && echo "equal"
exit $failed
