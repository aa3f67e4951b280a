#!/usr/bin/env python3
"""Prints what the programs of a build are made of, as SPDX 2.3 JSON.

usage: linked.py BUILD [--licences FOLDER] [--copy FOLDER]
       linked.py BUILD --depends

Read from the build itself: ldd names the shared libraries, ninja the archives that were
linked, the files that were embedded and the headers that were compiled in; dpkg says of which Debian package each is,
the records of wheels which wheel brought torch and what it needs.

--licences  writes the copyright file of each Debian package whose code is in the
            programs, or is copied
--copy      copies the shared libraries that a machine with Python alone may lack: all but
            glibc's, GCC's and torch's
--depends   prints instead the Debian packages of the shared libraries, as a package of
            these programs depends on them
"""

import argparse
import datetime
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
VERSION = (ROOT / "VERSION").read_text().split()[0]
PROGRAMS = ("vitrain", "vitrain_torch", "vitrain_cuda.so")
# Libraries of every system on which torch's wheels run (PEP 600).
SYSTEM = re.compile(
    r"(ld-linux-x86-64|lib(c|m|dl|rt|util|pthread|gcc_s|stdc\+\+))\.so\.\d+$")


def output(*command, **variables):
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, **variables}).stdout


def shared_libraries(program, torch):
    """{name: path} of everything that the dynamic linker loads with it: torch's libraries and
    those of its wheels from there, also where a program is made to lie elsewhere."""
    found = {}
    folders = [torch / "lib", *sorted((torch.parent / "nvidia").glob("*/lib"))]
    listed = output("ldd", program, LD_LIBRARY_PATH=":".join(map(str, folders)))
    for line in listed.splitlines():
        match = re.match(r"\s*(?:(\S+) => )?(/\S+|not found)", line)
        if not match:
            continue
        if match.group(2) == "not found":
            sys.exit(f"{program} needs {match.group(1)}, which is not found")
        path = pathlib.Path(match.group(2))
        found[match.group(1) or path.name] = path
    return found


def foreign_inputs(build, program):
    """Archives of other packages that ninja links a program from, and other files of theirs
    that become part of it (fonts, scripts)."""
    listed = output("ninja", "-C", build, "-t", "inputs", program).splitlines()
    files = {pathlib.Path(name) for name in listed if name.startswith("/usr/")}
    archives = {path for path in files if path.suffix == ".a"}
    return archives, {path for path in files if path.is_relative_to("/usr/share")}


def compiled_headers(build, torch):
    """Headers of other packages that our objects were compiled with."""
    headers = set()
    wanted = False
    for line in output("ninja", "-C", build, "-t", "deps").splitlines():
        if not line.startswith(" "):
            wanted = line.startswith(("lib/", "app/"))
        elif wanted:
            headers.add(line.strip())
    system = re.compile(r"/usr/(lib/gcc|include/(c\+\+|x86_64-linux-gnu/(c\+\+|bits|sys|gnu|asm)))/")
    folders = set()
    for name in headers:
        # build/.../deps/include/fmt is a link to the system's headers.
        path = pathlib.Path(os.path.realpath(os.path.join(build, name)))
        if (path.is_relative_to("/usr") and not system.match(str(path))
                and not path.is_relative_to(torch) and not path.is_relative_to(ROOT)):
            folders.add(path)
    return folders


def debian_packages(paths):
    """{path: (package, version, source)}; nothing where dpkg does not know a file."""
    if not shutil.which("dpkg-query") or not paths:
        return {}
    # dpkg may list files of /lib below /usr/lib, and vice versa.
    names = {}
    for path in paths:
        real = pathlib.Path(os.path.realpath(path))
        for name in {str(path), str(real)}:
            names[name] = path
            names[name.removeprefix("/usr") if name.startswith("/usr/lib") else "/usr" + name] = path
    listed = subprocess.run(["dpkg-query", "-S", *names], capture_output=True, text=True).stdout
    owners = {}
    for line in listed.splitlines():
        owner, _, name = line.partition(": ")
        if name in names:
            owners[names[name]] = owner.split(",")[0].strip()
    packages = sorted(set(owners.values()))
    if not packages:
        return {}
    shown = output("dpkg-query", "-W", "-f", "${binary:Package}\t${Package}\t${Version}\t${source:Package}\n",
                   *packages)
    facts = {}
    for line in shown.splitlines():
        full, name, version, source = line.split("\t")
        facts[full] = facts[name] = (name, version, source)
    return {path: facts[owner] for path, owner in owners.items() if owner in facts}


@functools.lru_cache(maxsize=None)
def wheels_of(site):
    """[(name, version, files)] of the wheels that are unpacked in a folder."""
    wheels = []
    for info in pathlib.Path(site).glob("*.dist-info"):
        name, _, version = info.name.removesuffix(".dist-info").partition("-")
        record = info / "RECORD"
        files = set()
        if record.exists():
            files = {line.split(",")[0] for line in record.read_text().splitlines()}
        wheels.append((name.replace("_", "-"), version, files))
    return wheels


def wheel_of(path, torch):
    site = torch.parent
    name = os.path.relpath(os.path.realpath(path), os.path.realpath(site))
    wheels = wheels_of(str(site))
    for wheel, version, files in wheels:
        if name in files:
            return wheel, version
    for wheel, version, files in wheels:  # tools/torch/unpack.py keeps no records
        library = wheel.removeprefix("nvidia-").removeprefix("cuda-").removesuffix("-cu13")
        library = {"runtime": "cudart"}.get(library, library)
        if name.startswith("nvidia/") and pathlib.Path(name).name.startswith(f"lib{library}."):
            return wheel, version
    if not name.startswith(".."):
        header = (torch / "include/torch/headeronly/version.h").read_text()
        parts = re.findall(r"TORCH_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
        return "torch", ".".join(parts)
    return None


def licence_names(package):
    """The names that Debian's copyright file gives to the licences in it."""
    copyright_file = pathlib.Path("/usr/share/doc") / package / "copyright"
    if not copyright_file.exists():
        return ""
    text = copyright_file.read_text(errors="replace")
    names = sorted(set(re.findall(r"^License: *(\S.*)$", text, re.MULTILINE)))
    return ", ".join(names)


def identifier(*parts):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", "-".join(parts))


class Document:
    def __init__(self, build):
        self.packages = {}
        self.relations = set()
        program = build / "vitrain"
        digest = hashlib.sha256(program.read_bytes()).hexdigest()
        seconds = int(os.environ.get("SOURCE_DATE_EPOCH", program.stat().st_mtime))
        self.head = {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"vitrain-{VERSION}",
            "documentNamespace": f"https://spdx.org/spdxdocs/vitrain-{VERSION}-{digest[:32]}",
            "creationInfo": {
                "created": datetime.datetime.fromtimestamp(
                    seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                "creators": [f"Tool: vitrain-tools-linked-{VERSION}"]},
        }
        self.own = self.add("vitrain", VERSION, licence="Apache-2.0", checksum=digest)
        self.relations.add(("SPDXRef-DOCUMENT", "DESCRIBES", self.own))

    def add(self, name, version, licence="NOASSERTION", comment="", purl="", supplier="NOASSERTION", checksum=""):
        key = identifier("Package", name)
        if key not in self.packages:
            package = {"SPDXID": key, "name": name, "versionInfo": version, "supplier": supplier,
                       "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                       "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
            if comment:
                package["licenseComments"] = comment
            if checksum:
                package["checksums"] = [{"algorithm": "SHA256", "checksumValue": checksum}]
            if purl:
                package["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                            "referenceLocator": purl}]
            self.packages[key] = package
        return key

    def add_debian(self, facts):
        name, version, source = facts
        names = licence_names(name)
        return self.add(
            name, version, supplier="Organization: Debian",
            comment=f"Names in Debian's copyright file: {names}" if names else "",
            purl=f"pkg:deb/debian/{name}@{version.replace('+', '%2B').replace(':', '%3A')}?upstream={source}")

    def add_wheel(self, name, version):
        return self.add(name, version, purl=f"pkg:pypi/{name}@{version}")

    def text(self):
        relations = [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                     for a, kind, b in sorted(self.relations)]
        packages = [self.packages[key] for key in sorted(self.packages)]
        return json.dumps({**self.head, "packages": packages, "relationships": relations}, indent=1)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--licences", type=pathlib.Path)
    parser.add_argument("--copy", type=pathlib.Path)
    parser.add_argument("--depends", action="store_true")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    torch = (build / "torch").resolve()
    document = Document(build)
    programs = [build / name for name in PROGRAMS if (build / name).exists()]

    shared = {}
    for program in programs:
        shared.update(shared_libraries(program, torch))
    if arguments.depends:
        needed = {name for program in programs
                  for name in re.findall(r"NEEDED +(\S+)", output("objdump", "-p", program))}
        facts = set(debian_packages({shared[name] for name in needed}).values())
        # Requires at least these versions, without Debian's own revision.
        print(", ".join(f"{name} (>= {version.split('-')[0]})" for name, version, _ in sorted(facts)))
        return
    from_torch = {name for name, path in shared.items() if wheel_of(path, torch)}
    archives, embedded = set(), set()
    for program in programs:
        more_archives, more_embedded = foreign_inputs(build, program.name)
        archives |= more_archives
        embedded |= more_embedded
    headers = compiled_headers(build, torch)
    owners = debian_packages({*shared.values(), *archives, *embedded, *headers})

    inside = set()  # packages whose code is in what is passed on
    for name, path in sorted(shared.items()):
        copied = arguments.copy and name not in from_torch and not SYSTEM.match(name)
        if name in from_torch:
            key = document.add_wheel(*wheel_of(path, torch))
        elif path in owners:
            key = document.add_debian(owners[path])
        elif path.is_relative_to(build):
            key = document.own
        else:
            key = document.add(name, "", checksum=hashlib.sha256(path.read_bytes()).hexdigest())
        if key != document.own:
            document.relations.add((document.own, "DYNAMIC_LINK", key))
        if copied:
            arguments.copy.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(os.path.realpath(path), arguments.copy / name)
            if path in owners:
                document.relations.add((document.own, "CONTAINS", key))
                inside.add(owners[path][0])
    for paths, relation in ((archives, "STATIC_LINK"), (embedded, "CONTAINS"), (headers, None)):
        for path in paths:
            if path not in owners or owners[path][0] in ("libc6-dev", "linux-libc-dev"):
                continue
            key = document.add_debian(owners[path])
            inside.add(owners[path][0])
            document.relations.add(
                (document.own, relation, key) if relation else (key, "BUILD_DEPENDENCY_OF", document.own))
    if arguments.licences:
        shutil.rmtree(arguments.licences, ignore_errors=True)
        arguments.licences.mkdir(parents=True)
        for package in sorted(inside):
            text = pathlib.Path("/usr/share/doc") / package / "copyright"
            if text.exists():
                shutil.copyfile(text, arguments.licences / f"{package}.txt")
    print(document.text())


if __name__ == "__main__":
    main()
