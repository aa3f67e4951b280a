#!/bin/sh
# What run_train_multi.sh and run_eval_multi.sh share: set up, complete the
# arguments, become vitrain.
# usage: tools/run.sh train|eval [vitrain's arguments]
#
# Runs in the caller's folder, so that relative paths mean what they say, and
# leaves CUDA_VISIBLE_DEVICES alone.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
vitrain=$root/build/release/vitrain
verb=$1
shift

# True when one of the arguments is an option of one of those names, in any of
# the spellings -cfg, --cfg, -cfg=FILE.
# usage: has_option NAME... -- "$@"
has_option() {
  wanted=
  while [ "$1" != -- ]; do
    wanted="$wanted $1"
    shift
  done
  shift
  for argument in "$@"; do
    for name in $wanted; do
      case $argument in
        "-$name" | "--$name" | "-$name="* | "--$name="*) return 0 ;;
      esac
    done
  done
  return 1
}

# The value given to -cfg, or nothing.
config_file() {
  while [ $# -gt 0 ]; do
    case $1 in
      -cfg | --cfg) echo "${2-}"; return ;;
      -cfg=* | --cfg=*) echo "${1#*=}"; return ;;
    esac
    shift
  done
}

# True when the arguments or the config file say which devices to use.
devices_are_chosen() {
  if has_option gpus devices ngpus np nproc_per_node nproc-per-node hosts H worker -- "$@"; then return 0; fi
  for argument in "$@"; do
    case $argument in
      devices.* | -set=devices.* | --set=devices.*) return 0 ;;
    esac
  done
  file=$(config_file "$@")
  [ -r "$file" ] && grep -q '^devices:' "$file"
}

# True where vitrain would find no GPU: the user hides all of them, or there is
# none. A CUDA_VISIBLE_DEVICES that names devices is vitrain's to judge.
no_gpu() {
  case ${CUDA_VISIBLE_DEVICES-unset} in
    '' | -1) return 0 ;;
    unset) ;;
    *) return 1 ;;
  esac
  for device in /dev/nvidia[0-9]* /dev/dxg; do
    if [ -e "$device" ]; then return 1; fi
  done
  return 0
}

# True where another launcher has started this process as one of its workers.
is_launched() {
  [ -n "${LOCAL_RANK-}${PADDLE_TRAINER_ID-}${HOROVOD_RANK-}${OMPI_COMM_WORLD_RANK-}${PMI_RANK-}${SLURM_STEP_ID-}" ]
}

# Prints the folder of the newest example run that has a best checkpoint, which
# is the one that -pretrained takes from it; or nothing.
newest_run() {
  newest=
  for run in runs/shapes_vit_tiny-* "$root"/runs/shapes_vit_tiny-*; do
    if [ ! -s "$run/checkpoints/best" ]; then continue; fi
    # Names end with the time: the last in order is the newest.
    if [ -z "$newest" ] || expr "${run##*/}" '>' "${newest##*/}" >/dev/null; then
      newest=$run
    fi
  done
  echo "$newest"
}

asks_only=false
if has_option help h version print_config print-config -- "$@"; then asks_only=true; fi

"$root/tools/setup.sh" train

if [ "$verb" = eval ] && ! $asks_only; then
  if [ $# = 0 ]; then
    run=$(newest_run)
    if [ -z "$run" ]; then
      echo "There is no run of configs/shapes_vit_tiny.yaml to evaluate: run" \
        "./run_train_multi.sh first, or name a config and weights:" >&2
      echo "  ./run_eval_multi.sh -cfg FILE -pretrained CHECKPOINT" >&2
      exit 2
    fi
    set -- -pretrained "$run"
  fi
  if ! has_option eval -- "$@" && [ "${1-}" != eval ]; then set -- -eval "$@"; fi
fi

case ${1-} in
  '' | -* | train | eval)
    if ! $asks_only; then
      if ! has_option cfg -- "$@"; then
        set -- "$@" -cfg "$root/configs/shapes_vit_tiny.yaml"
      fi
      cores=$(nproc)
      if [ "$cores" -gt 1 ] && no_gpu && ! is_launched &&
        ! devices_are_chosen "$@"; then
        set -- "$@" -devices cpu:2
      fi
    fi
    ;;
esac
exec "$vitrain" "$@"
