#!/usr/bin/env python3
"""A server on loopback that sends files as the Hugging Face hub does.

    hub_server.py FOLDER        prints its address and serves until killed

FOLDER/ORG/NAME/FILE is /ORG/NAME/resolve/main/FILE. Files of more than 1 KiB
are in a storage on another port, to which the first reply redirects, as the
hub's large files are: with x-linked-etag (SHA-256) and x-linked-size.
"""

import hashlib
import http.server
import os
import pathlib
import sys
import threading

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def git_hash(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    storage = None  # address of the other server; None: this is it

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer()

    do_GET = do_HEAD

    def reply(self, status, headers=(), size=0):
        self.send_response(status)
        for key, value in headers:
            self.send_header(key, value)
        self.send_header("Content-Length", str(size))
        self.end_headers()

    def answer(self):
        server = self.server
        server.requests.append((self.command, self.path, dict(self.headers)))
        if server.fails:
            self.reply(server.fails.pop(0))
            return
        path = self.path.split("://", 1)[-1]  # a proxy gets whole addresses
        path = path[path.index("/"):] if "://" in self.path else path
        parts = path.strip("/").split("/")
        if self.server.storage is None:
            self.send_file(server.folder.joinpath(*parts))
            return
        org, name, resolve, revision, *file = parts
        file = server.folder.joinpath(org, name, *file)
        if not file.parent.is_dir() or resolve != "resolve":
            self.reply(404, [("X-Error-Code", "RepoNotFound")])
        elif revision not in ("main", COMMIT):
            self.reply(404, [("X-Error-Code", "RevisionNotFound")])
        elif not file.is_file():
            self.reply(404, [("X-Error-Code", "EntryNotFound")])
        elif file.stat().st_size > 1024:
            self.reply(302, [
                ("Location",
                 f"{server.storage}/{file.relative_to(server.folder)}"),
                ("X-Repo-Commit", COMMIT),
                ("X-Linked-Size", str(file.stat().st_size)),
                ("X-Linked-ETag", f'"{server.sha256(file)}"')])
        else:
            content = file.read_bytes()
            self.reply(200, [("X-Repo-Commit", COMMIT),
                             ("ETag", f'W/"{git_hash(content)}"')],
                       len(content))
            if self.command == "GET":
                self.wfile.write(content)

    def send_file(self, file):
        size = file.stat().st_size
        first = 0
        asked = self.headers.get("Range", "")
        if asked and self.server.ranges:
            first = int(asked.removeprefix("bytes=").split("-")[0])
            self.reply(206, [("Content-Range",
                              f"bytes {first}-{size - 1}/{size}")],
                       size - first)
        else:
            self.reply(200, size=size)
        if self.command == "HEAD":
            return
        with open(file, "rb") as source:
            end = min(size, first + self.server.cut)
            while first < end:
                first += os.sendfile(self.wfile.fileno(), source.fileno(),
                                     first, end - first)
        if end < size:
            self.close_connection = True


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder, storage=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = pathlib.Path(folder)
        self.storage = storage
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.requests = []
        self.fails = []  # statuses of the next replies
        self.ranges = True
        self.cut = 1 << 60  # bytes after which a connection ends
        self.hashes = {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def sha256(self, file):
        if file not in self.hashes:
            self.hashes[file] = hashlib.sha256(file.read_bytes()).hexdigest()
        return self.hashes[file]


def hub(folder):
    """Returns the hub and its storage."""
    storage = Server(folder)
    return Server(folder, storage.address), storage


if __name__ == "__main__":
    print(hub(sys.argv[1])[0].address, flush=True)
    threading.Event().wait()
