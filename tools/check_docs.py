#!/usr/bin/env python3
"""Checks what the documents say about the tree.

usage: check_docs.py [VITRAIN]      (default: build/release/vitrain)

- Every relative link in a Markdown file leads to a file or folder.
- lib/README.md names every folder of lib/; the files of lib/ that it and
  CONTRIBUTING.md name exist; bench/README.md every script of
  bench/, docs/decisions/README.md every decision.
- docs/config.md is what `VITRAIN config reference` prints.
- What documents put between backticks exists in VITRAIN: keys of the config
  with the values given to them, options in docs/migration.md's last columns
  and in docs/guide/.
- What has to have the number in VERSION has it: deploy/'s images, the first heading of
  CHANGELOG.md; and pyproject.toml's torch is the one of tools/setup.sh.
- Fenced `sh` lines that begin with `vitrain`, and commands in
  docs/migration.md, are accepted by VITRAIN; fenced `yaml` is a config or part
  of one.

Prints each problem on a line and exits 1 when there is one, or no VITRAIN.
"""

import functools
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = {p.name for p in (ROOT / "lib").iterdir()}
QUOTED = re.compile(r"`([^`]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def markdown_files():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "*.md"],
        capture_output=True, text=True)
    if listed.returncode == 0:
        return [ROOT / name for name in listed.stdout.split("\0") if name]
    # Without git, as in an unpacked archive: all documents outside build/.
    return [path for path in ROOT.rglob("*.md")
            if path.relative_to(ROOT).parts[0] != "build"]


def prose(path):
    """(number, line) of each line outside fences."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def broken_links(path):
    for number, line in prose(path):
        for target in LINK.findall(line):
            target = target.split("#")[0]
            if not target or "://" in target or target.startswith("mailto:"):
                continue
            if not (path.parent / target).exists():
                yield f"{path.relative_to(ROOT)}:{number}: no such file: {target}"


def unnamed(document, names):
    if not document.exists():
        yield f"{document.relative_to(ROOT)} is missing"
        return
    text = document.read_text()
    for name in sorted(names):
        if name not in text:
            yield f"{document.relative_to(ROOT)} does not name {name}"


def stale_reference(printed):
    document = ROOT / "docs" / "config.md"
    if not document.exists() or document.read_text() != printed:
        yield ("docs/config.md is not what `vitrain config reference` prints: "
               "run build/release/vitrain config reference > docs/config.md")


class Reference:
    """Keys of the config, and the values of those that are one of a list."""

    def __init__(self, vitrain, printed):
        self.vitrain = vitrain
        self.choices = {}
        self.sections = set()
        section = ""
        for line in printed.splitlines():
            heading = re.match(r"#{2,4} ([a-z0-9_.]+)$", line)
            if "is read as" in line:  # other names of keys
                for key in re.findall(r"`([a-z0-9_.]+): \w+`", line):
                    self.choices.setdefault(key, None)
            row = re.match(r"\| `(\w+)` \| (.*?) \| (.*?) \|", line)
            if heading:
                section = heading.group(1)
                self.sections.add(section)
            elif row and section:
                listed = re.match(r"one of (.*)", row.group(3))
                self.choices[f"{section}.{row.group(1)}"] = (
                    listed.group(1).split(", ") if listed else None)

    def problem_of_key(self, text):
        """What is wrong with `a.b` or `a.b: value`, or None."""
        match = re.match(r"((\w+)(?:\.\w+)+)(?:(?:: ?|=)(\S+))?$", text)
        if not match or match.group(2) not in self.sections:
            return None
        if text.endswith(
                (".safetensors", ".yaml", ".json", ".csv", ".npy", ".bin", ".lock")):
            return None  # a file
        key, value = match.group(1), match.group(3)
        if key in self.sections:
            return None
        if key not in self.choices:
            return f"no key {key}"
        allowed = self.choices[key]
        if value and allowed and re.fullmatch(r"\w+", value) and value not in allowed:
            return f"{key} cannot be {value}"
        return None

    def problem_of_option(self, text):
        match = re.match(r"(-[A-Za-z]\w+|-H)(?![\w-])", text)
        return self.problem_of_name(match.group(1)) if match else None

    @functools.lru_cache(maxsize=None)
    def problem_of_name(self, option):
        for verb in (["train"], ["data", "order"], ["data", "dump"],
                     ["data", "show"], ["data", "pack"], ["config", "show"], ["config", "from-timm"], ["predict"], ["export"],
                     ["runs"]):
            said = subprocess.run(
                [self.vitrain, *verb, option],
                capture_output=True, text=True).stderr
            if not re.search(r"unknown option|not available|no meaning", said):
                return None
        return f"no option {option}"


def stale_names(path, reference):
    name = path.relative_to(ROOT)
    tables = name.name == "migration.md"
    for number, line in prose(path):
        for text in QUOTED.findall(line):
            problem = reference.problem_of_key(text)
            if problem:
                yield f"{name}:{number}: {problem}"
            if tables and text.startswith("vitrain -"):
                problem = command_problem(reference.vitrain, text)
                if problem:
                    yield f"{name}:{number}: {text}: {problem}"
        here = line.rstrip(" |").rsplit(" | ", 1)[-1] if tables else line
        for text in QUOTED.findall(here) if tables or "guide" in name.parts else []:
            problem = reference.problem_of_option(text)
            if problem:
                yield f"{name}:{number}: {problem}"


def fences(path):
    """(line number, language, text) of each fenced block."""
    language, start, lines = None, 0, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.startswith("```"):
            lines.append(line)
        elif language is None:
            language, start, lines = line[3:].strip(), number, []
        else:
            yield start, language, "\n".join(lines)
            language = None


def command_problem(vitrain, command):
    """What VITRAIN says about a documented command line, or None.

    Names that stand for files and folders (FILE, runs/NAME, ...) are given
    something that exists or nothing at all: only the command line itself is
    checked, by printing the recipe that it makes."""
    # Checks commands of several machines without starting anything on them.
    words = [word for word in shlex.split(command, comments=True)
             if word != "-ssh"]
    recipe = str(ROOT / "configs" / "shapes_vit_tiny.yaml")
    image = str(ROOT / "tests" / "golden" / "image" / "files" / "rgb_420.jpg")
    words = [recipe if word in ("FILE", "recipe.yaml", "runs/NAME/config.yaml")
             else word for word in words[1:]]
    arguments = ROOT / "tests" / "golden" / "config" / "timm_args"
    words = [str(arguments / "deit_small.yaml") if word == "args.yaml" else word
             for word in words]
    words = [word if "/" not in word or not (ROOT / word).exists()
             else str(ROOT / word) for word in words]
    # Replace image names in examples by an existing image.
    words = [image if word.endswith(".jpg") else word for word in words]
    verbs = {"config", "data", "devices", "models", "completion", "man"}
    if (words[:2] in (["data", "pack"], ["data", "unpack"])
            or words[:1] in (["export"], ["predict"], ["report"], ["runs"], ["show"])):
        words.append("-help")  # their data, weights and runs are not here
    elif not words or words[0] in verbs or "-dry_run" in words:
        pass
    else:
        words.append("-print_config")
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder, "NAME")
        run.mkdir()
        (run / "config.yaml").symlink_to(recipe)
        words = [str(run) if word == "runs/NAME" else word for word in words]
        for i, word in enumerate(words[:-1]):
            if word in ("-out", "-output"):
                words[i + 1] = str(pathlib.Path(folder) / "out")
        done = subprocess.run(
            [vitrain, *words], capture_output=True, text=True, cwd=ROOT,
            timeout=60)
    if done.returncode == 0:
        return None
    return done.stderr.strip().splitlines()[0] if done.stderr else "failed"


def yaml_problem(vitrain, text):
    """What VITRAIN says about a documented piece of a config, or None.

    Its data need not exist, so `config show` reads it: keys, types, values."""
    with tempfile.TemporaryDirectory() as folder:
        lines = [line for line in text.splitlines()
                 if not line.startswith("base:")]
        recipe = pathlib.Path(folder, "part.yaml")
        recipe.write_text("\n".join(lines) + "\n")
        done = subprocess.run(
            [vitrain, "config", "show", "-cfg", recipe],
            capture_output=True, text=True, timeout=60)
        if done.returncode == 0:
            return None
        return done.stderr.strip().splitlines()[0].replace(f"{folder}/", "")


def stale_examples(path, vitrain):
    name = path.relative_to(ROOT)
    for number, language, text in fences(path):
        if language == "yaml":
            problem = yaml_problem(vitrain, text)
            if problem:
                yield f"{name}:{number}: {problem}"
        if language != "sh":
            continue
        for command in text.replace("\\\n", " ").splitlines():
            words = command.split()
            if not words or words[0] not in ("vitrain", "build/release/vitrain"):
                continue
            problem = command_problem(vitrain, command)
            if problem:
                yield f"{name}:{number}: {command.strip()}: {problem}"


def stale_versions():
    version = (ROOT / "VERSION").read_text().strip()
    for path in (ROOT / "deploy").rglob("*.yaml"):
        for image in re.findall(r"image: *vitrain:(\S+)", path.read_text()):
            if image != version:
                yield f"{path.relative_to(ROOT)}: image vitrain:{image}, and VERSION is {version}"
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not newest or newest.group(1) != version:
        yield f"CHANGELOG.md does not begin with {version}, as VERSION says"
    torch = re.search(r"^TORCH_VERSION=(\S+)", (ROOT / "tools/setup.sh").read_text(), re.MULTILINE)
    if f'"torch=={torch.group(1)}"' not in (ROOT / "pyproject.toml").read_text():
        yield f"pyproject.toml does not depend on torch=={torch.group(1)}, as tools/setup.sh has it"


def missing_files(path):
    """Files of lib/ that `path` names in code spans and that are not there."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for name in re.findall(r"`([a-z_]+/[a-z_0-9/]+\.(?:h|cpp))`", line):
            folder = name.split("/")[0]
            if folder in FOLDERS and not (ROOT / "lib" / name).exists():
                yield f"{path.relative_to(ROOT)}:{number}: no such file: {name}"


def problems(vitrain):
    for path in markdown_files():
        yield from broken_links(path)
    lib = ROOT / "lib"
    folders = {f"{p.relative_to(lib)}/" for p in lib.rglob("*") if p.is_dir()}
    yield from unnamed(lib / "README.md", folders)
    yield from missing_files(lib / "README.md")
    yield from missing_files(ROOT / "CONTRIBUTING.md")
    yield from stale_versions()
    scripts = {p.name for p in (ROOT / "bench").iterdir()
               if p.suffix in (".sh", ".py", ".cpp")}
    yield from unnamed(ROOT / "bench" / "README.md", scripts)
    decisions = ROOT / "docs" / "decisions"
    notes = {p.name for p in decisions.glob("[0-9]*.md")}
    yield from unnamed(decisions / "README.md", notes)
    reference = subprocess.run(
        [vitrain, "config", "reference"], capture_output=True, text=True)
    if reference.returncode != 0:
        yield f"{vitrain} config reference: exit {reference.returncode}"
    else:
        yield from stale_reference(reference.stdout)
    reference = Reference(vitrain, reference.stdout)
    for path in markdown_files():
        if "decisions" not in path.parts and path.name != "config.md":
            yield from stale_names(path, reference)
            yield from stale_examples(path, vitrain)


def main():
    vitrain = pathlib.Path(*sys.argv[1:2] or [ROOT / "build/release/vitrain"]).resolve()
    if not vitrain.exists():
        sys.exit(f"check_docs.py: {vitrain} is not there: build it, or name one")
    found = list(problems(vitrain))
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
