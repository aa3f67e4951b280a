#!/bin/sh
# Packs what bench/gpu.sh needs on a machine that has only a GPU, torch 2.11 and timm:
# stripped programs, libraries that such a machine may lack, the fake runtime and
# photographs.
#
# usage: bench/gpu_pack.sh [ARCHIVE]      (build/vitrain-gpu.tar.gz)
#
# Programs and libraries may take at most 60 MiB and photographs 40 MB, otherwise nothing
# is written. On the other machine: tar xf ARCHIVE && vitrain-gpu/bench/gpu.sh PART.
#
# Settings: PHOTOGRAPHS (a tar file of JPEG files below folders that are classes;
#   default: ../shared/data/imagenet-sample.tar; if it is absent, gpu.sh generates
#   pictures), PHOTOGRAPH_MB (limit of their size, at most 40), CIFAR (train/CLASS/*
#   and test/CLASS/* as .tar.zst; default: none, and part H skips its rows).
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
build=$root/build/release
archive=${1:-$root/build/vitrain-gpu.tar.gz}
photographs=${PHOTOGRAPHS:-$root/../shared/data/imagenet-sample.tar}
most_programs=$((60 * 1024 * 1024))
most_photographs=$((${PHOTOGRAPH_MB:-40} * 1000000))
[ $most_photographs -le 40000000 ] || most_photographs=40000000
case $archive in
  -*) sed -n '/^# usage/,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2 ;;
esac

say() { echo "[gpu_pack] $*" >&2; }

bytes_of() { find "$@" -type f -printf '%s\n' | awk '{n += $1} END {print n + 0}'; }

for program in vitrain vitrain_torch vitrain_cuda.so bench/gpu_micro bench/optimizer_step; do
  if [ ! -e "$build/$program" ]; then
    say "$build/$program is missing: VITRAIN_PROFILE=cuda tools/setup.sh tests builds it"
    exit 2
  fi
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pack=$work/vitrain-gpu
release=$pack/build/release
mkdir -p "$release/bench" "$release/tests/fake_cuda" "$pack/packed/lib" "$pack/bench/peers" \
  "$pack/configs"

strip -s -o "$release/vitrain" "$build/vitrain"
strip -s -o "$release/vitrain_torch" "$build/vitrain_torch"
strip --strip-unneeded -o "$release/vitrain_cuda.so" "$build/vitrain_cuda.so"
ln -s ../vitrain_cuda.so "$release/bench/vitrain_cuda.so"
for program in gpu_micro optimizer_step; do
  strip -s -o "$release/bench/$program" "$build/bench/$program"
done
for library in "$build"/tests/fake_cuda/*.so*; do
  strip --strip-unneeded -o "$release/tests/fake_cuda/${library##*/}" "$library"
done
python3 "$root/tools/linked.py" "$build" --copy "$pack/packed/lib" >"$work/linked.json"
cp "$root/bench/gpu.sh" "$pack/bench/"
mkdir "$pack/bench/gpu"
cp "$root"/bench/gpu/*.py "$pack/bench/gpu/"
cp "$root/bench/peers/optimizer_step.py" "$root/bench/peers/airbench_jpeg.py" \
  "$pack/bench/peers/"
mkdir "$pack/configs/base"
for config in bench_models shapes_vit_tiny pytorch_ddp_example cifar10_airbench94 base/cifar10; do
  cp "$root/configs/$config.yaml" "$pack/configs/$config.yaml"
done

taken=$(bytes_of "$release" "$pack/packed/lib")
if [ "$taken" -gt $most_programs ]; then
  say "programs and libraries take $taken bytes, more than $most_programs: nothing is written"
  exit 1
fi
pictures=0
if [ -e "$photographs" ]; then
  # Takes as many files as fit, spread evenly over the archive.
  python3 - "$photographs" "$pack/packed/photographs.tar" $most_photographs <<'PY'
import sys
import tarfile

source, target, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
with tarfile.open(source) as tar, tarfile.open(target, "w") as out:
    files = [member for member in tar if member.isfile()]
    block = lambda member: 1024 + (member.size + 511) // 512 * 512
    share = (most - 20480) / sum(map(block, files))
    taken = room = 0
    for member in files:
        room += block(member) * share
        if taken + block(member) <= room:
            out.addfile(member, tar.extractfile(member))
            taken += block(member)
PY
  pictures=$(bytes_of "$pack/packed/photographs.tar")
  if [ "$pictures" -gt $most_photographs ]; then
    say "photographs take $pictures bytes, more than $most_photographs: nothing is written"
    exit 1
  fi
fi
if [ -n "${CIFAR-}" ]; then
  zstd -dc "$CIFAR" | xz -T0 -3 >"$pack/packed/cifar10.tar.xz"
  python3 -m pip install -q --no-deps --target "$pack/packed/airbench" airbench==0.1.8
fi
mkdir -p "$(dirname -- "$archive")"
tar -C "$work" -czf "$archive.partial" vitrain-gpu
mv "$archive.partial" "$archive"
say "$archive: programs and libraries $((taken / 1048576)) MiB, photographs $((pictures / 1000000)) MB"
