#!/usr/bin/env python3
"""An MLflow server that accepts all requests and stores nothing, for bench/report_cost.sh.

usage: fake_mlflow.py FILE      writes its address into FILE once it listens, and a line for
                                each request into FILE.log
"""

import http.server
import json
import os
import sys

RUN = {"run_id": "0123456789abcdef0123456789abcdef", "artifact_uri": "mlflow-artifacts:/1/run/artifacts"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    log = None

    def answer(self):
        size = int(self.headers.get("Content-Length", 0))
        self.rfile.read(size)
        self.log.write(f"{self.command} {self.path.partition('?')[0]} {size}\n")
        body = json.dumps({"experiment": {"experiment_id": "1"}, "run": {"info": RUN}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = answer

    def log_message(self, *_):
        pass


def main():
    name = sys.argv[1]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    with open(name + ".log", "a", buffering=1) as log:
        Handler.log = log
        with open(name + ".part", "w") as file:
            file.write(f"http://127.0.0.1:{server.server_port}\n")
        os.rename(name + ".part", name)
        server.serve_forever()


if __name__ == "__main__":
    main()
