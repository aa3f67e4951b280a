#!/bin/sh
# Evaluates on every visible device: sets up on the first call, then runs
# vitrain -eval. Without arguments: the best checkpoint of the newest run of
# configs/shapes_vit_tiny.yaml. Arguments go to vitrain:
#   ./run_eval_multi.sh -cfg FILE -pretrained CHECKPOINT
exec "$(dirname -- "$(readlink -f -- "$0")")/tools/run.sh" eval "$@"
