#!/bin/sh
# Sets up the build, completes the arguments and becomes vitrain, for
# run_train_multi.sh and run_eval_multi.sh.
# usage: tools/run.sh train|eval [vitrain's arguments]
#
# Runs in the caller's folder, so that relative paths are valid, and leaves
# CUDA_VISIBLE_DEVICES unchanged: vitrain chooses the devices.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")/.." && pwd -P)
vitrain=$root/build/release/vitrain
verb=$1
shift

# Returns true if an argument is an option of one of these names, spelled -cfg,
# --cfg or -cfg=FILE.
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

# Returns true if -resume names a run (not auto), whose recipe is then used.
resumes_a_run() {
  before=
  for argument in "$@"; do
    case $before$argument in
      -resume=auto | --resume=auto | -resume\ auto | --resume\ auto) ;;
      -resume=* | --resume=*) return 0 ;;
      -resume\ -* | --resume\ -*) ;;
      -resume\ * | --resume\ *) return 0 ;;
    esac
    case $argument in
      -resume | --resume) before="$argument " ;;
      *) before= ;;
    esac
  done
  return 1
}

# Prints the folder of the newest example run with a best checkpoint, which
# -pretrained then uses; nothing if there is none.
newest_run() {
  newest=
  for run in runs/shapes_vit_tiny-* "$root"/runs/shapes_vit_tiny-*; do
    if [ ! -s "$run/checkpoints/best" ]; then continue; fi
    # Names end with the time, so the last name is the newest run.
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
      if ! has_option cfg -- "$@" && ! resumes_a_run "$@"; then
        set -- "$@" -cfg "$root/configs/shapes_vit_tiny.yaml"
      fi
    fi
    ;;
esac
exec "$vitrain" "$@"
