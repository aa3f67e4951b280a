#!/bin/sh
# Runs a command where `srun` starts processes: on a Slurm cluster of this one
# machine, which exists for as long as the command runs. Needs root, and Debian's
# slurm-wlm and munge.
#
# usage: with_slurm.sh COMMAND [ARGUMENT...]
# as in: tests/e2e/with_slurm.sh ctest --test-dir build/release -R Srun
set -eu

if [ $# = 0 ]; then sed -n '2,/^set/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2; exit 2; fi
for program in munged slurmctld slurmd srun; do
  command -v $program >/dev/null || {
    echo "$program is missing: apt-get install slurm-wlm munge" >&2
    exit 1
  }
done

work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-slurm.XXXXXX")
chmod 755 "$work" # munged does not trust a folder that others may write to
started=
end_cluster() {
  for process in $started; do kill "$process" 2>/dev/null || true; done
  for process in $started; do wait "$process" 2>/dev/null || true; done
  rm -rf "$work"
}
trap end_cluster EXIT
trap 'exit 130' INT TERM

start() {
  "$@" >>"$work/log" 2>&1 &
  started="$! $started"
}

# Waits until a command succeeds, at most 20 seconds.
await() {
  tries=0
  until "$@" >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ $tries = 100 ]; then
      cat "$work/log" >&2
      echo "no Slurm cluster: '$*' did not succeed" >&2
      exit 1
    fi
    sleep 0.2
  done
}

# Two ports that were free a moment ago.
ports=$(python3 -c '
import socket
sockets = [socket.socket() for _ in range(2)]
for s in sockets: s.bind(("127.0.0.1", 0))
print(*(s.getsockname()[1] for s in sockets))')
host=$(hostname -s)
mkdir "$work/state" "$work/spool"
head -c 128 /dev/urandom >"$work/key"
chmod 600 "$work/key"
cat >"$work/slurm.conf" <<END
ClusterName=vitrain
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports% *}
SlurmdPort=${ports#* }
AuthType=auth/munge
AuthInfo=socket=$work/socket
SlurmUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=$host Default=YES OverSubscribe=FORCE:8
END
export SLURM_CONF="$work/slurm.conf"

start munged --foreground --force --key-file="$work/key" --socket="$work/socket" \
  --pid-file="$work/munged.pid" --log-file="$work/munged.log" --seed-file="$work/seed"
await munge --no-input --socket="$work/socket"
start slurmctld -D
start slurmd -D -N "$host"
await srun --immediate=2 --overcommit --ntasks=2 true
"$@"
