#!/bin/sh
# Stands for a launcher: starts workers as torchrun describes them, each through
# two shells and in a session of its own, and waits for them.
# usage: launcher.sh WORKERS PORT COMMAND...
workers=$1
port=$2
shift 2
rank=0
while [ "$rank" -lt "$workers" ]; do
  (
    export RANK=$rank LOCAL_RANK=$rank WORLD_SIZE="$workers" LOCAL_WORLD_SIZE="$workers"
    export MASTER_ADDR=127.0.0.1 MASTER_PORT="$port" OMP_NUM_THREADS=1
    # What follows the command keeps each shell from becoming the command.
    setsid sh -c 'sh -c "\"\$@\"; exit \$?" sh "$@"; exit $?' sh "$@"
    exit $?
  ) &
  rank=$((rank + 1))
done
wait
