#!/bin/sh
# Compares vitrain with a peer on this machine's CPU, both measured in turns: timm's
# VisionTransformer (32 px, patch 4, dim 192, depth 9, 3 heads, MLP ratio 2)
# under PyTorch DDP over Gloo, fused AdamW, clip 1.0, JPEG folder with random
# crop and flip, 2 workers x batch 64, one compute thread each.
#
# usage: bench/compare_train_cpu.sh [fp32|bf16|exchange|photos|startup|loss]
#   fp32     images/s in fp32 (default)
#   bf16     images/s in bf16, and vitrain in fp32 for comparison
#   exchange images/s in fp32 with a model of 21 million parameters and 8 images
#            per worker, so that the exchange of gradients is a large part of a step;
#            and the bytes sent per step with dist.compress none and bf16
#   photos   photographs at 224 pixels (random resized crop, bicubic, flip) and a
#            model so small that the loader is the bottleneck; the peer uses timm's transform
#   startup  seconds from process start to the begin and end of the first step
#   loss     compares the losses of 20 steps from the same weights and batches
# The last line is `ratio R`, ours / theirs (loss: the largest difference; exits with 1
# if it is above 1e-4).
#
# Settings: PAIRS (7), STEPS (30), SKIP (5: first steps not counted),
#   PEER_LOADER_WORKERS (default: the best of 0, 1 and 2, measured first),
#   VITRAIN_PEER_PYTHON (a Python with the peer's packages; default: they are
#   installed into the user's cache), CIFAR_JPG (a folder with train/<class>/;
#   default: ../shared/data/cifar10-jpg.tar.zst unpacked; if absent, generated noise).
set -eu

mode=${1:-fp32}
pairs=${PAIRS:-7}
steps=${STEPS:-30}
skip=${SKIP:-5}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench
case $mode in
  fp32 | bf16 | exchange | photos | startup | loss) ;;
  *) sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2 ;;
esac
mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

. "$root/bench/peer.sh"

say() { echo "[bench] $*" >&2; }

report() { python3 "$root/bench/report.py" "$@"; }

# Sets $data: a folder with train/ and test/ of small JPEG files.
find_data() {
  archive=$root/../shared/data/cifar10-jpg.tar.zst
  if [ -n "${CIFAR_JPG-}" ]; then
    data=$CIFAR_JPG
    return
  fi
  data=$cache/noise
  if [ -e "$archive" ]; then data=$cache/cifar10-jpg; fi
  if [ ! -e "$data" ]; then
    rm -rf "$data.partial"
    mkdir "$data.partial"
    if [ -e "$archive" ]; then
      say "unpacking CIFAR-10 into $data"
      zstd -dc "$archive" | tar -xf - -C "$data.partial"
    else
      say "CIFAR-10 is not here: generating images of noise in $data"
      "$peer" "$root/bench/peers/noise_images.py" "$data.partial"
    fi
    mv "$data.partial" "$data"
  fi
}

# peer_run METRICS [arguments of train_timm.py]: runs the peer once.
peer_run() {
  metrics=$1
  shift
  if ! PEER_START=$(date +%s.%N) OMP_NUM_THREADS=1 CUDA_VISIBLE_DEVICES='' \
    "$peer" -m torch.distributed.run --standalone --nproc_per_node 2 \
    "$root/bench/peers/train_timm.py" --data "$data" --metrics "$metrics" \
    --loader_workers "${loader_workers:-0}" "$@" >"$work/peer.log" 2>&1; then
    cat "$work/peer.log" >&2
    say "the peer failed"
    exit 1
  fi
}

# our_run METRICS [arguments of vitrain]: runs vitrain once. Evaluation and checkpoint
# come at the end and are small: neither is measured.
our_run() {
  metrics=$1
  shift
  rm -rf "$work/runs"
  if ! "$root/build/release/vitrain" -cfg "$root/configs/bench_vit_cifar.yaml" \
    -devices cpu:2 -output "$work/runs" -set log.every=1 \
    "$@" >"$work/ours.log" 2>&1; then
    cat "$work/ours.log" >&2
    say "vitrain failed"
    exit 1
  fi
  mv "$work"/runs/*/metrics.jsonl "$metrics"
}

# our_speed_run METRICS PRECISION STEPS: runs vitrain on the JPEG folder, without warm-up,
# which could be longer than such a short run.
our_speed_run() {
  # shellcheck disable=SC2086 # options
  our_run "$1" -set train.precision="$2" -set run.max_steps="$3" \
    -set schedule.warmup=0st ${our_model-} \
    -set data.train.path="$data/train" -set data.eval.path="$work/few"
}

# Copies a few test images per class, for the evaluation at the end of a run.
few_images() {
  for class in "$data"/test/*/; do
    target=$work/few/$(basename "$class")
    mkdir -p "$target"
    # shellcheck disable=SC2012 # the names are the data set's own
    ls "$class" | head -n 5 | while read -r file; do
      cp "$class$file" "$target/"
    done
  done
}

choose_loader_workers() {
  if [ -n "${PEER_LOADER_WORKERS-}" ]; then
    loader_workers=$PEER_LOADER_WORKERS
    return
  fi
  best=0
  for loader_workers in 0 1 2; do
    # shellcheck disable=SC2086 # options
    peer_run "$work/try" --steps $((skip + 8)) --precision "$1" ${peer_model-}
    rate=$(report speed "$work/try" "$skip")
    say "the peer with $loader_workers loader workers: $rate images/s"
    if [ "$(echo "$rate $best" | awk '{print ($1 > $2)}')" = 1 ]; then
      best=$rate
      chosen=$loader_workers
    fi
  done
  loader_workers=$chosen
}

# speed_pair PAIR PRECISION: measures both sides once and appends "ours theirs" to a file;
# the order alternates, so that drift of the machine favours neither.
speed_pair() {
  pair=$1
  precision=$2
  for who in $([ $((pair % 2)) = 0 ] && echo "ours peer" || echo "peer ours"); do
    if [ "$who" = ours ]; then
      our_speed_run "$work/ours" "$precision" "$steps"
    else
      # shellcheck disable=SC2086 # options
      peer_run "$work/theirs" --steps "$steps" --precision "$precision" \
        ${peer_model-}
    fi
  done
  ours=$(report speed "$work/ours" "$skip")
  theirs=$(report speed "$work/theirs" "$skip")
  echo "$ours $theirs" >>"$work/pairs"
  echo "pair $pair ($precision): ours $ours images/s, peer $theirs images/s"
}

compare_speed() {
  choose_loader_workers "$mode"
  echo "$mode, 2 workers x batch 64, steps $((skip + 1)) to $steps," \
    "peer with $loader_workers loader workers"
  for pair in $(seq "$pairs"); do
    speed_pair "$pair" "$mode"
    if [ "$mode" = bf16 ]; then
      our_speed_run "$work/fp32" fp32 "$steps"
      fp32=$(report speed "$work/fp32" "$skip")
      echo "$ours $fp32" >>"$work/precisions"
      echo "pair $pair: ours in fp32 $fp32 images/s"
    fi
  done
  if [ "$mode" = bf16 ]; then
    echo "our bf16 beside our fp32 (as ours and theirs):"
    report pairs "$work/precisions" | sed 's/^ratio/bf16 over fp32/'
    echo "our bf16 beside the peer's:"
  fi
  report pairs "$work/pairs"
}

# Compares steps with a large exchange, and prints the bytes that they send.
compare_exchange() {
  loader_workers=0
  peer_model='--batch 8 --patch 8 --dim 384 --depth 12 --heads 6 --mlp_ratio 4'
  our_model='-set data.batch_size=8 -set model.patch_size=8
    -set model.embed_dim=384 -set model.depth=12 -set model.num_heads=6
    -set model.mlp_ratio=4'
  echo "fp32, 2 workers x batch 8, 21 million parameters," \
    "steps $((skip + 1)) to $steps"
  for pair in $(seq "$pairs"); do
    speed_pair "$pair" fp32
  done
  echo "bytes that a worker puts into the collectives of a step:"
  for compress in none bf16; do
    our_model="$our_model -set dist.compress=$compress"
    our_speed_run "$work/ours" fp32 8
    echo "  dist.compress $compress: $(report bytes "$work/ours")"
  done
  report pairs "$work/pairs"
}

# Makes folders of photographs: train/ has each one eight times, so that an epoch is
# longer than the run; test/ has each one once.
find_photos() {
  archive=$root/../shared/data/imagenet-sample.tar
  data=$cache/photos
  if [ -e "$data" ]; then return; fi
  if [ ! -e "$archive" ]; then
    say "$archive is not here"
    exit 2
  fi
  rm -rf "$data.partial"
  mkdir -p "$data.partial/files"
  tar -xf "$archive" -C "$data.partial/files" --strip-components 1
  for class in "$data.partial"/files/*/; do
    name=$(basename "$class")
    mkdir -p "$data.partial/train/$name" "$data.partial/test/$name"
    for file in "$class"*; do
      file=$(basename "$file")
      ln -s "../../files/$name/$file" "$data.partial/test/$name/$file"
      for copy in 1 2 3 4 5 6 7 8; do
        ln -s "../../files/$name/$file" "$data.partial/train/$name/$copy-$file"
      done
    done
  done
  mv "$data.partial" "$data"
}

compare_photos() {
  peer_model='--photos --batch 50 --patch 32 --dim 64 --depth 1 --heads 1
    --mlp_ratio 1'
  our_model='-set data.batch_size=50 -set model.image_size=224
    -set model.patch_size=32 -set model.embed_dim=64 -set model.depth=1
    -set model.num_heads=1 -set model.mlp_ratio=1
    -set data.augment.crop=resized -set data.preprocess.interpolation=bicubic'
  choose_loader_workers fp32
  echo "photographs, 2 workers x batch 50, steps $((skip + 1)) to $steps," \
    "peer with $loader_workers loader workers"
  for pair in $(seq "$pairs"); do
    speed_pair "$pair" fp32
  done
  report pairs "$work/pairs"
}

# Both programs end after one step. The first pair warms the page cache and is not
# counted.
compare_startup() {
  loader_workers=${PEER_LOADER_WORKERS:-0}
  echo "seconds from process start to the first step's begin and end"
  for pair in $(seq 0 "$pairs"); do
    our_speed_run "$work/ours" fp32 1
    peer_run "$work/theirs" --steps 1
    ours=$(report start "$work/ours")
    theirs=$(report start "$work/theirs")
    if [ "$pair" = 0 ]; then continue; fi
    echo "${ours% *} ${theirs% *}" >>"$work/begin"
    echo "${ours#* } ${theirs#* }" >>"$work/end"
    echo "pair $pair: ours $ours, peer $theirs"
  done
  echo "to the begin of the first step:"
  report pairs "$work/begin" | sed 's/^ratio/begin ratio/'
  echo "to its end:"
  report pairs "$work/end"
}

compare_losses() {
  steps=20
  peer_run "$work/theirs" --steps $steps --export "$work/export"
  our_run "$work/ours" -set train.precision=fp32 -set run.max_steps=$steps \
    -set model.pretrained="$work/export/model.safetensors" \
    -set data.train.kind=cifar -set data.train.path="$work/export/cifar" \
    -set data.eval.kind=cifar -set data.eval.path="$work/export/cifar" \
    -set data.sampler.policy=sequential \
    -set data.augment.crop=none -set data.augment.flip=0 \
    -set data.preprocess.mean='[0.4914, 0.4822, 0.4465]' \
    -set data.preprocess.std='[0.2470, 0.2435, 0.2616]' \
    -set data.preprocess.crop_pct=1.0 \
    -set optim.lr=1.0e-3 -set optim.weight_decay=0.05 -set optim.clip_norm=1.0 \
    -set schedule.name=constant -set schedule.scale.rule=none \
    -set schedule.warmup=10st -set schedule.warmup_lr=1.0e-6 \
    -set model.drop_path=0 -set train.label_smoothing=0
  report losses "$work/ours" "$work/theirs" 1e-4
}

"$root/tools/setup.sh" train
find_peer "$cache"
case $mode in
  photos) find_photos ;;
  *) find_data ;;
esac
few_images
case $mode in
  fp32 | bf16) compare_speed ;;
  exchange) compare_exchange ;;
  photos) compare_photos ;;
  startup) compare_startup ;;
  loss) compare_losses ;;
esac
