"""The command `vitrain` of the wheel: starts the program that lies in this folder.

The program finds torch's libraries where pip puts torch, beside this package. Where torch
is elsewhere (another site-packages of the same Python), its folder is told to the dynamic
linker.
"""

import importlib.util
import os
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def main():
    program = FOLDER / "vitrain"
    if not (FOLDER.parent / "torch" / "lib").is_dir():
        found = importlib.util.find_spec("torch")  # imports nothing
        if found is None or not found.origin:
            sys.exit("vitrain needs torch 2.11, which this Python does not have: pip install torch==2.11.0")
        library = str(pathlib.Path(found.origin).parent / "lib")
        others = os.environ.get("LD_LIBRARY_PATH")
        os.environ["LD_LIBRARY_PATH"] = f"{library}:{others}" if others else library
    os.execv(program, ["vitrain", *sys.argv[1:]])
