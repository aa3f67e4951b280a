#!/bin/sh
# Trains, interrupts and goes on with a real MLflow server, and asks it with its
# own client what it has got. Exits with 77 where the server cannot be had.
#
# usage: mlflow_test.sh VITRAIN
# MLflow comes from PyPI into the user's cache, 0.6 GB, unless
# VITRAIN_MLFLOW_PYTHON names a Python that has it.
set -eu

vitrain=$1
files=$(CDPATH='' cd -- "$(dirname -- "$0")/files" && pwd -P)
version=3.17.0
skip() { echo "skipped: $1"; exit 77; }

python=${VITRAIN_MLFLOW_PYTHON:-}
if [ -z "$python" ]; then
  cache=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/vitrain
  site=$cache/mlflow-$version
  python=$site/bin/python
  if [ ! -e "$site/done" ]; then
    mkdir -p "$cache" 2>/dev/null || skip "no folder $cache"
    python3 -m venv "$site" 2>/dev/null || skip "python3 cannot make a virtual environment"
    "$site/bin/pip" install -q --disable-pip-version-check "mlflow==$version" ||
      skip "mlflow $version cannot be installed from PyPI"
    touch "$site/done"
  fi
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-mlflow.XXXXXX")
server=
finish() {
  if [ -n "$server" ]; then # with those that it started
    kill -TERM "-$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
    kill -KILL "-$server" 2>/dev/null || true
  fi
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT TERM

cd "$work"
port=$("$python" -c '
import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
uri=http://127.0.0.1:$port
# A session of its own: the server starts others, which end with it.
MLFLOW_DISABLE_TELEMETRY=true setsid "$python" -m mlflow server --host 127.0.0.1 \
  --port "$port" --workers 1 --backend-store-uri "sqlite:///$work/mlflow.db" \
  --artifacts-destination "$work/artifacts" >server.log 2>&1 &
server=$!
tries=0
until "$python" -c "
import urllib.request
urllib.request.urlopen('$uri/health', timeout=2)" 2>/dev/null; do
  tries=$((tries + 1))
  if [ $tries = 120 ]; then cat server.log; skip "the server does not start"; fi
  sleep 0.5
done

# Its first answers take long.
MLFLOW_TRACKING_URI=$uri "$python" -c '
import mlflow
with mlflow.start_run():
    mlflow.log_metric("warm", 1.0)' >>server.log 2>&1

train() {
  OMP_NUM_THREADS=1 "$vitrain" -cfg "$files/tiny.yaml" -devices cpu:1 \
    -set log.mlflow="$uri" -set log.mlflow_experiment='tiny ones' \
    -set schedule.warmup=0st -set checkpoint.every=2st -output "$work/runs" "$@" \
    >>train.log 2>&1 || { cat train.log; exit 1; }
}
train -set run.name=first -set run.max_steps=4
train -set run.name=first -set run.max_steps=6 -resume "$(echo "$work"/runs/first-*)"

MLFLOW_TRACKING_URI=$uri "$python" - <<'END'
import mlflow

client = mlflow.MlflowClient()
experiment = client.get_experiment_by_name("tiny ones")
runs = client.search_runs([experiment.experiment_id])
assert len(runs) == 1, runs  # the second command went on with it
run = runs[0]
assert run.info.status == "FINISHED", run.info.status
assert run.info.run_name.startswith("first-"), run.info.run_name
assert run.data.params["optim.name"] in ("adamw", "sgd"), run.data.params
assert len(run.data.params) > 150, len(run.data.params)
for key in ("train/loss", "eval/top1", "eval/loss"):
    history = client.get_metric_history(run.info.run_id, key)
    steps = [m.step for m in history]
    assert steps and max(steps) == 6, (key, steps)
names = {f.path for f in client.list_artifacts(run.info.run_id)}
assert {"config.yaml", "summary.csv", "samples.png", "report.html",
        "evaluation"} <= names, names
text = mlflow.artifacts.load_text(run.info.artifact_uri + "/config.yaml")
assert text.startswith("run:"), text[:40]
print("MLflow", mlflow.__version__, "has", len(run.data.params), "parameters,",
      len(run.data.metrics), "metrics,", sorted(names))
END
