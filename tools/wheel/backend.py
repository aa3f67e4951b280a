"""Builds the wheel: scikit-build-core, with torch's headers and a tag.

torch 2.11 to compile with is, in this order: VITRAIN_TORCH, what tools/setup.sh has put
into the user's cache, or the wheel that pip then fetches for the build alone.

The tag is manylinux's for this machine's glibc, where that is what auditwheel would say:
the programs need nothing but glibc, GCC's run-time libraries, torch and what is in the
wheel (cmake/InstallProgram.cmake.in). Wheels from Debian 12 run with glibc 2.36 and later.
"""

import importlib.util
import os
import pathlib
import platform
import re

from scikit_build_core import build as skbuild
from scikit_build_core.build import (  # noqa: F401
    build_editable, build_sdist, get_requires_for_build_sdist, prepare_metadata_for_build_wheel)

# "torch==2.11.0": the wheel requires the torch that its C++ is compiled with.
TORCH = re.search(r'"(torch==[\d.]+)"', pathlib.Path("pyproject.toml").read_text()).group(1)


def set_up_torch():
    """The folder site-packages/torch of that torch, or None."""
    given = os.environ.get("VITRAIN_TORCH")
    if given:
        return pathlib.Path(given)
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    for profile in ("cuda", "cpu"):
        folder = cache / "vitrain" / f"{TORCH.replace('==', '-')}-{profile}" / "torch"
        if (folder / "include/torch/headeronly/version.h").exists():
            return folder
    return None


def with_cuda(torch):
    """Whether vitrain_cuda.so can be built: CUDA's headers came with that torch."""
    site = torch.parent
    return all((site / name).exists() for name in (
        "torch/lib/libtorch_cuda.so", "nvidia/nccl/include/nccl.h", "nvidia/cu13/include/crt/host_defines.h"))


def get_requires_for_build_wheel(config_settings=None):
    needed = skbuild.get_requires_for_build_wheel(config_settings)
    return needed if set_up_torch() else [*needed, TORCH]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    torch = set_up_torch()
    if torch is None:
        found = importlib.util.find_spec("torch")
        if found is None:
            raise SystemExit(
                f"no torch to build with: set VITRAIN_TORCH to the site-packages/torch of {TORCH}, run "
                "tools/setup.sh, or leave --no-build-isolation out")
        torch = pathlib.Path(found.origin).parent
    settings = {
        "cmake.define.VITRAIN_TORCH": str(torch),
        "cmake.define.VITRAIN_WITH_CUDA": "ON" if with_cuda(torch) else "OFF",
        **(config_settings or {})}
    name = skbuild.build_wheel(wheel_directory, settings, metadata_directory)
    library, version = platform.libc_ver()
    if library != "glibc" or "-linux_" not in name:
        return name
    return retag(pathlib.Path(wheel_directory) / name, "manylinux_" + version.replace(".", "_"))


def retag(wheel, tag):
    """Renames linux to `tag` in a wheel's name and metadata; returns the name."""
    import base64
    import hashlib
    import zipfile

    renamed = wheel.with_name(wheel.name.replace("-linux_", f"-{tag}_"))
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(renamed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        contents = {info.filename: (info, old.read(info)) for info in old.infolist()}
        tags = next(name for name in contents if name.endswith(".dist-info/WHEEL"))
        record = next(name for name in contents if name.endswith(".dist-info/RECORD"))
        info, text = contents[tags]
        text = text.replace(b"-linux_", f"-{tag}_".encode())
        contents[tags] = info, text
        digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
        lines = contents[record][1].decode().splitlines()
        lines = [f"{tags},sha256={digest},{len(text)}" if line.startswith(tags + ",") else line for line in lines]
        contents[record] = contents[record][0], ("\n".join(lines) + "\n").encode()
        for info, data in contents.values():
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, data, compresslevel=9)
    wheel.unlink()
    return renamed.name
