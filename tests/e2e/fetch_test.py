#!/usr/bin/env python3
"""Tests `weights fetch`: fetch_test.py VITRAIN"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from hub_server import COMMIT, hub

VITRAIN = sys.argv.pop(1)
NAME = "timm/resnet50.a1_in1k"
CACHED = "models--timm--resnet50.a1_in1k"


class Fetch(unittest.TestCase):
    def setUp(self):
        temp = tempfile.TemporaryDirectory()
        self.addCleanup(temp.cleanup)
        self.folder = pathlib.Path(temp.name)
        self.weights = random.Random(1).randbytes(3_000_000)
        self.write(NAME, "model.safetensors", self.weights)
        self.write(NAME, "config.json", b'{"architecture": "resnet50"}')
        self.hub, self.storage = hub(self.folder / "hub")
        self.cache = self.folder / "cache"

    def tearDown(self):
        self.hub.shutdown()
        self.storage.shutdown()

    def write(self, repository, file, content):
        path = self.folder / "hub" / repository / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def fetch(self, *names, **variables):
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith(("HF_", "HUGGINGFACE_", "TRANSFORMERS_"))
                and not key.lower().endswith("_proxy")}
        return subprocess.run(
            [VITRAIN, "weights", "fetch", *(names or [NAME])],
            capture_output=True, text=True, timeout=120,
            env=kept | {"HF_ENDPOINT": self.hub.address,
                        "HF_HUB_CACHE": str(self.cache),
                        "TORCH_HOME": str(self.folder / "torch")} | variables)

    def good(self, *names, **variables):
        result = self.fetch(*names, **variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def snapshot(self, repository=CACHED):
        return self.cache / repository / "snapshots" / COMMIT

    def test_layout_is_that_of_huggingface_hub(self):
        for name in (NAME, "resnet50", "timm:resnet50.a1_in1k"):
            with self.subTest(name):
                result = self.good(name)
                file = self.snapshot() / "model.safetensors"
                self.assertIn(str(file), result.stdout)
                self.assertEqual(file.read_bytes(), self.weights)
        self.assertEqual((self.cache / CACHED / "refs/main").read_text(), COMMIT)
        self.assertEqual(os.readlink(file),
                         f"../../blobs/{self.storage.sha256(file)}")
        self.assertEqual(
            json.loads((self.snapshot() / "config.json").read_text()),
            {"architecture": "resnet50"})
        self.assertEqual(sorted(p.name for p in self.snapshot().iterdir()),
                         ["config.json", "model.safetensors"])
        # Only the first one has sent the weights.
        self.assertEqual([r[0] for r in self.storage.requests], ["GET"])
        self.assertNotIn(".incomplete", " ".join(
            p.name for p in (self.cache / CACHED / "blobs").iterdir()))

    def test_token_is_for_the_endpoint_alone(self):
        result = self.good(HF_TOKEN="hf_secret")
        for _, _, headers in self.hub.requests:
            self.assertEqual(headers["Authorization"], "Bearer hf_secret")
        self.assertTrue(self.storage.requests)
        for _, _, headers in self.storage.requests:
            self.assertNotIn("Authorization", headers)
        self.assertNotIn("hf_secret", result.stdout + result.stderr)
        self.hub.fails = [401]
        denied = self.fetch(NAME, HF_TOKEN="hf_secret")
        self.assertEqual(denied.returncode, 4)
        self.assertIn("401", denied.stderr)
        self.assertNotIn("hf_secret", denied.stderr)

    def test_lost_connections_are_continued(self):
        self.storage.cut = 1_000_000
        self.good()
        self.assertEqual(
            [r[2].get("Range") for r in self.storage.requests],
            [None, "bytes=1000000-", "bytes=2000000-"])
        self.assertEqual(
            (self.snapshot() / "model.safetensors").read_bytes(), self.weights)

    def test_an_incomplete_file_is_continued(self):
        blobs = self.cache / CACHED / "blobs"
        blobs.mkdir(parents=True)
        source = self.folder / "hub" / NAME / "model.safetensors"
        part = blobs / (self.hub.sha256(source) + ".incomplete")
        part.write_bytes(self.weights[:1234])
        self.good()
        self.assertEqual(self.storage.requests[0][2]["Range"], "bytes=1234-")
        self.assertEqual(
            (self.snapshot() / "model.safetensors").read_bytes(), self.weights)

    def test_a_server_without_ranges(self):
        blobs = self.cache / CACHED / "blobs"
        blobs.mkdir(parents=True)
        source = self.folder / "hub" / NAME / "model.safetensors"
        part = blobs / (self.hub.sha256(source) + ".incomplete")
        part.write_bytes(self.weights[:1234])
        self.storage.ranges = False
        self.good()
        self.assertEqual(
            (self.snapshot() / "model.safetensors").read_bytes(), self.weights)

    def test_wrong_bytes_are_discarded(self):
        source = self.folder / "hub" / NAME / "model.safetensors"
        self.hub.sha256(source)  # remembered
        source.write_bytes(b"x" + self.weights[1:])
        result = self.fetch()
        self.assertEqual(result.returncode, 4)
        self.assertIn("SHA-256", result.stderr)
        self.assertFalse((self.snapshot() / "model.safetensors").exists())
        source.write_bytes(self.weights)
        self.good()

    def test_requests_that_fail_for_now_are_repeated(self):
        self.hub.fails = [503, 503]
        self.storage.fails = [500]
        self.good()

    def test_proxy(self):
        self.good(HF_ENDPOINT="http://hub.example",
                  http_proxy=self.hub.address)
        self.assertIn("http://hub.example/" + NAME,
                      self.hub.requests[0][1])

    def test_weights_of_transformers_in_several_files(self):
        name = "google/vit-base-patch16-224"
        parts = {"model-00001-of-00002.safetensors": b"a" * 2000,
                 "model-00002-of-00002.safetensors": b"b" * 2000}
        for file, content in parts.items():
            self.write(name, file, content)
        index = {"weight_map": {"x": list(parts)[0], "y": list(parts)[1]}}
        self.write(name, "model.safetensors.index.json",
                   json.dumps(index).encode())
        for file in ("config.json", "preprocessor_config.json"):
            self.write(name, file, b"{}")
        self.good("hf-hub:" + name)
        folder = self.snapshot("models--google--vit-base-patch16-224")
        for file, content in parts.items():
            self.assertEqual((folder / file).read_bytes(), content)
        self.assertTrue((folder / "preprocessor_config.json").exists())

    def test_what_cannot_be_fetched(self):
        for names, code, words in (
                (["hf-hub:no/such"], 4, "no such repository"),
                ([NAME + "@other"], 4, "no such repository or revision"),
                (["no_such_network"], 2, "hf-hub:ORG/NAME"),
                (["ViT_B_16_Weights.IMAGENET1K_V1"], 2, "vit_b_16-c867db91.pth"),
                (["efficientnet_b8"], 2, "no published weights")):
            with self.subTest(names):
                result = self.fetch(*names)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn(words, result.stderr)
        self.write("org/empty", "README.md", b"")
        result = self.fetch("hf-hub:org/empty")
        self.assertEqual(result.returncode, 4)
        self.assertIn("pytorch_model.bin", result.stderr)
        offline = self.fetch(HF_HUB_OFFLINE="1")
        self.assertEqual(offline.returncode, 2)
        self.assertIn("HF_HUB_OFFLINE", offline.stderr)
        self.assertNotEqual(self.fetch(HF_ENDPOINT="nowhere").returncode, 0)


if __name__ == "__main__":
    unittest.main()
