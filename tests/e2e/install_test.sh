#!/bin/sh
# An installation by `cmake --install`, moved to another place, works there.
# usage: install_test.sh BUILD      (a build whose target vitrain is up to date)
set -eu
build=$1
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/vitrain-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1

fail() {
  echo "FAILED: $*"
  exit 1
}
# Runs what is installed in an environment that knows nothing of it.
installed() { (cd "$work" && env -u LD_LIBRARY_PATH "$work/moved/bin/vitrain" "$@"); }

cmake --install "$build" --prefix "$work/first" --component program >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "cmake --install"; }
mv "$work/first" "$work/moved"

# The program: torch-free until it is needed.
installed --help >"$work/help"
"$build/vitrain" --help | cmp - "$work/help" || fail "help is another"
ldd "$work/moved/lib/vitrain/vitrain" | grep -q torch && fail "help loads torch"
installed --version | grep -q "^vitrain $(cat "$root/VERSION")\$" || fail "version"
installed models resnet50 | grep -q " 25,557,032 " || fail "models"
code=0
installed -cgf x >"$work/refusal" 2>&1 || code=$?
[ $code = 2 ] || fail "exit code $code of a wrong option"
grep -q 'Did you mean' "$work/refusal" || fail "a wrong option is not explained"

# One step of training on two workers, with a recipe that was installed.
installed -cfg moved/share/vitrain/configs/shapes_vit_tiny.yaml -devices cpu:2 -output runs \
  -set run.max_steps=1 -set schedule.warmup=0st -set data.train.count=64 -set data.eval.count=16 -batch_size 8 >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "training"; }
grep -q '^done' "$work/log" || fail "training did not say that it is done"

# What it says, in its places.
share=$work/moved/share
"$build/vitrain" man | cmp - "$share/man/man1/vitrain.1" || fail "manual page"
for file in bash-completion/completions/vitrain zsh/site-functions/_vitrain \
  fish/vendor_completions.d/vitrain.fish doc/vitrain/CHANGELOG.md doc/vitrain/licences/libyaml-cpp-dev.txt; do
  [ -s "$share/$file" ] || fail "no $file"
done
python3 - "$share/doc/vitrain/sbom.spdx.json" <<'END' || fail "list of what is linked"
import json
import sys

document = json.load(open(sys.argv[1]))
names = {package["SPDXID"]: package["name"] for package in document["packages"]}
links = {(relation["relationshipType"], names.get(relation["relatedSpdxElement"]))
         for relation in document["relationships"]}
assert document["spdxVersion"] == "SPDX-2.3"
assert {("DYNAMIC_LINK", "torch"), ("DYNAMIC_LINK", "libtiff6"), ("DYNAMIC_LINK", "libc6"),
        ("CONTAINS", "libjs-dygraphs"), ("STATIC_LINK", "libyaml-cpp-dev"), ("STATIC_LINK", "libpng-dev")} <= links, links
assert "libgtest-dev" not in names.values() # tests are not installed
assert all(package["versionInfo"] for package in document["packages"])
END
echo "all passed"
