#!/bin/sh
# Compares fine-tuning by LoRA and of the classifier alone with fine-tuning of all
# weights, on this machine's CPU, in turns: ViT-S/16 at 224 pixels, random images,
# AdamW, one worker.
#
# usage: bench/compare_transfer.sh [fp32|bf16]
# Prints a table of images/s and of the largest resident memory, which is medians of
# ROUNDS runs. The last line is `ratio R`: images/s of LoRA / all weights.
#
# Settings: ROUNDS (3), STEPS (12), SKIP (3: first steps not counted), BATCH (64).
set -eu

precision=${1:-fp32}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
steps=${STEPS:-12}
skip=${SKIP:-3}
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-transfer.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

. "$root/bench/step_speed.sh"

case $precision in fp32 | bf16) ;; *) usage ;; esac

# measure NAME OPTION...: appends images/s and MiB of a run to $work/NAME.
measure() {
  name=$1
  shift
  speed=$(vitrain_run "$root" "${BATCH:-64}" "$precision" \
    -set model.name=vit_small_patch16_224 -set data.eval_batch_size=4 "$@")
  memory=$(python3 -c 'import json, sys
print(json.loads(open(sys.argv[1]).readlines()[-1])["memory_bytes"] / 2**20)' \
    "$work"/runs/*/metrics.jsonl)
  say "$name: $speed images/s, $memory MiB"
  echo "$speed $memory" >>"$work/$name"
}

for _ in $(seq "${ROUNDS:-3}"); do
  measure all
  measure lora -set model.lora.rank=8
  measure head -set model.freeze=all_but_head
done
python3 - "$work" <<'END'
import pathlib, statistics, sys

def medians(name):
    lines = (pathlib.Path(sys.argv[1]) / name).read_text().split("\n")[:-1]
    return [statistics.median(column) for column in zip(
        *(map(float, line.split()) for line in lines))]

whole = medians("all")
print("| trained | images/s | of all weights | memory | of all weights |")
print("| --- | --- | --- | --- | --- |")
for name, text in [("all", "all weights"), ("lora", "LoRA of rank 8"),
                   ("head", "classifier")]:
    speed, memory = medians(name)
    print(f"| {text} | {speed:.1f} | {speed / whole[0]:.2f} | {memory:.0f} MiB "
          f"| {memory / whole[1]:.2f} |")
print(f"ratio {medians('lora')[0] / whole[0]:.2f}")
END
