#!/usr/bin/env python3
"""Checks Kubernetes manifests against their schemas, strictly: unknown keys are errors.

usage: check_manifests.py FILE...      (needs kubernetes-validate from PyPI)

Kubernetes' own kinds are checked with its OpenAPI schemas. Of Kubeflow's PyTorchJob the
part that deploy/ uses is below, and its pods are checked as those of a Job.
"""

import sys

import jsonschema
import kubernetes_validate
import yaml

VERSION = "1.30"
REPLICAS = {
    "type": "object",
    "required": ["replicas", "template"],
    "additionalProperties": False,
    "properties": {
        "replicas": {"type": "integer", "minimum": 1},
        "restartPolicy": {"enum": ["Always", "OnFailure", "Never", "ExitCode"]},
        "template": {"type": "object"},
    },
}
# https://github.com/kubeflow/training-operator, manifests/base/crds: kubeflow.org_pytorchjobs.yaml
PYTORCH_JOB = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "additionalProperties": False,
    "properties": {
        "apiVersion": {"const": "kubeflow.org/v1"},
        "kind": {"const": "PyTorchJob"},
        "metadata": {"type": "object", "required": ["name"]},
        "spec": {
            "type": "object",
            "required": ["pytorchReplicaSpecs"],
            "additionalProperties": False,
            "properties": {
                "nprocPerNode": {"type": "string"},
                "runPolicy": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "backoffLimit": {"type": "integer"},
                        "cleanPodPolicy": {"enum": ["None", "Running", "All"]},
                        "ttlSecondsAfterFinished": {"type": "integer"},
                        "activeDeadlineSeconds": {"type": "integer"},
                    },
                },
                "pytorchReplicaSpecs": {
                    "type": "object",
                    "required": ["Master"],
                    "additionalProperties": False,
                    "properties": {"Master": REPLICAS, "Worker": REPLICAS},
                },
            },
        },
    },
}


def check(document):
    if document["kind"] != "PyTorchJob":
        kubernetes_validate.validate(document, VERSION, strict=True)
        return
    jsonschema.validate(document, PYTORCH_JOB)
    for replicas in document["spec"]["pytorchReplicaSpecs"].values():
        template = replicas["template"]
        # A Job's pods say themselves whether they start again.
        template["spec"]["restartPolicy"] = "Never"
        kubernetes_validate.validate(
            {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "pods"},
             "spec": {"template": template}}, VERSION, strict=True)


for name in sys.argv[1:]:
    with open(name) as file:
        for document in yaml.safe_load_all(file):
            check(document)
            print(f"{name}: {document['kind']} {document['metadata']['name']} fits")
