#!/bin/sh
# Trains on every visible device: sets up on the first call, then runs vitrain.
# Without arguments: configs/shapes_vit_tiny.yaml. Arguments go to vitrain:
#   CUDA_VISIBLE_DEVICES=0,1 ./run_train_multi.sh -cfg FILE -set optim.lr=1e-3
exec "$(dirname -- "$(readlink -f -- "$0")")/tools/run.sh" train "$@"
