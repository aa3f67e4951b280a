# Sourced by the comparison scripts. find_peer sets $peer, a Python that can import
# torch, torchvision, timm and Pillow: VITRAIN_PEER_PYTHON if set, otherwise python3
# with packages that are installed into the user's cache on the first call (5 GB).

peer_packages="torch==2.11.0 torchvision==0.26.0 timm==1.0.31 pillow==13.0.0
  numpy==2.4.6 safetensors==0.8.0"

# install_packages FOLDER PACKAGES: installs packages into FOLDER unless they are there.
install_packages() {
  if [ "$(cat "$1/packages" 2>/dev/null)" != "$2" ]; then
    echo "[bench] installing into $1:" $2 >&2
    rm -rf "$1"
    # shellcheck disable=SC2086 # one word per package
    PIP_ROOT_USER_ACTION=ignore python3 -m pip install -q --no-cache-dir \
      --target "$1" $2
    echo "$2" >"$1/packages"
  fi
}

# find_peer CACHE [PACKAGES]: sets $peer. PACKAGES replace the default versions.
find_peer() {
  peer=${VITRAIN_PEER_PYTHON-}
  if [ -n "$peer" ]; then return; fi
  peer=python3
  install_packages "$1/peer" "$peer_packages"
  PYTHONPATH=$1/peer
  if [ $# -gt 1 ]; then
    install_packages "$1/$2" "$2"
    PYTHONPATH=$1/$2:$PYTHONPATH
  fi
  export PYTHONPATH
}
