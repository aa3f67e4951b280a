#!/bin/sh
# A worker per GPU below torchrun, on each of NNODES machines:
#   MASTER=10.0.0.1:29500 NNODES=2 NPROC=4 deploy/torchrun.sh RECIPE [OPTION...]
# torchrun starts all workers again after a failure, from the last checkpoint.
set -eu
recipe=$1
shift
exec torchrun --nnodes="${NNODES:-1}" --nproc-per-node="${NPROC:-1}" --max-restarts=3 \
  --rdzv-backend=c10d --rdzv-endpoint="${MASTER:-127.0.0.1:0}" --rdzv-id="${RUN:-vitrain}" \
  --no-python vitrain -cfg "$recipe" -resume auto -set run.name="${RUN:-vitrain}" "$@"
