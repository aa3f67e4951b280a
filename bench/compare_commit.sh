#!/bin/sh
# Compares the train step of whole models with vitrain at another commit, on this
# machine's CPU: one process with all cores, random pixels, AdamW, clipped gradients.
#
# usage: bench/compare_commit.sh COMMIT [MODEL[:PRECISION]...]
#   COMMIT     any commit name of `git rev-parse`; it is built in the user's cache
#   MODEL      a name that both versions know; default: vit_small_patch16_224 and resnet50
#   PRECISION  fp32 or bf16; default: both, without bf16 if the processor has
#              no instructions for it
# Prints a table of images/s with the median, smallest and largest ratio. The last
# line is `ratio R`: the smallest median of now / then over the models.
#
# Settings: PAIRS (5), STEPS (8), SKIP (3: first steps not counted), BATCH (8).
set -eu

pairs=${PAIRS:-5}
steps=${STEPS:-8}
skip=${SKIP:-3}
images=${BATCH:-8}
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vitrain/bench

. "$root/bench/step_speed.sh"

case ${1-} in
  '' | -*) usage ;;
esac
if ! commit=$(git -C "$root" rev-parse -q --verify "$1^{commit}"); then
  say "no such commit here: $1"
  exit 2
fi
shift
if [ $# = 0 ]; then set -- vit_small_patch16_224 resnet50; fi
check_rows "$@"

mkdir -p "$cache"
work=$(mktemp -d "$cache/run.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# A clone rather than a worktree, so that deleting it leaves nothing in this repository.
then=$cache/commits/$commit
if [ ! -d "$then" ]; then
  rm -rf "$then.new"
  git clone -q --shared --no-checkout "$root" "$then.new"
  git -C "$then.new" checkout -q --detach "$commit"
  mv "$then.new" "$then"
fi
say "building $then"
"$root/tools/setup.sh" train
"$then/tools/setup.sh" train

# Measures a row of the table: both versions in turns, `pairs` times, alternating the order.
compare() {
  rm -f "$work/speeds"
  for pair in $(seq "$pairs"); do
    if [ $((pair % 2)) = 1 ]; then
      now=$(vitrain_run "$root" "$images" "$precision" -set model.name="$model")
      before=$(vitrain_run "$then" "$images" "$precision" -set model.name="$model")
    else
      before=$(vitrain_run "$then" "$images" "$precision" -set model.name="$model")
      now=$(vitrain_run "$root" "$images" "$precision" -set model.name="$model")
    fi
    echo "$now $before" >>"$work/speeds"
    say "$model $precision, pair $pair: now $now, then $before images/s"
  done
  report pairs "$work/speeds" >"$work/pairs"
  median() { sed -n "s/^$1 *: median \([^,]*\),.*/\1/p" "$work/pairs"; }
  ratio=$(sed -n 's/^ratio //p' "$work/pairs")
  spread=$(awk '{print $1 / $2}' "$work/speeds" | sort -g | sed -n '1p;$p' | xargs printf '%.2f to %.2f')
  echo "| $model, batch $images | $precision | $(median ours) | $(median theirs) | $ratio ($spread) |" \
    >>"$work/table"
  echo "$ratio" >>"$work/ratios"
}

for row in "$@"; do
  model=${row%:*}
  for precision in $(precisions_of "$row"); do
    compare
  done
done
if [ ! -e "$work/ratios" ]; then
  say "nothing to compare"
  exit 2
fi
echo "One process, $(nproc) threads, images/s, $pairs pairs, now and at $commit:"
echo "| model | precision | now | then | ratio |"
echo "| --- | --- | --- | --- | --- |"
cat "$work/table"
echo "ratio $(sort -g "$work/ratios" | head -n 1)"
