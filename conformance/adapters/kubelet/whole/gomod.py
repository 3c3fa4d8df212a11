#!/usr/bin/env python3
"""gomod.py VERSION: print the go.mod that builds the adapter against k8s.io/kubernetes VERSION.

k8s.io/kubernetes is an ordinary requirement; the staging modules, which its own go.mod points at
directories inside the repository, are replaced by their published twins.
"""
import json
import os
import re
import subprocess
import sys

# Published twins that are missing: (version, module) -> the nearest one that exists.
OTHER = {("1.31.14", "k8s.io/cri-client"): "v0.31.0",
         ("1.31.14", "k8s.io/csi-translation-lib"): "v0.31.0",
         ("1.31.14", "k8s.io/dynamic-resource-allocation"): "v0.31.0",
         ("1.31.14", "k8s.io/kube-scheduler"): "v0.31.0",
         ("1.35.6", "k8s.io/mount-utils"): "v0.35.4",
         ("1.32.13", "k8s.io/cri-client"): "v0.32.10",
         ("1.32.13", "k8s.io/csi-translation-lib"): "v0.32.10",
         ("1.32.13", "k8s.io/kube-scheduler"): "v0.32.10"}

# Releases of which none can be had: the next patch of whose all can.
TWINS = {"1.15.4": "v0.15.7"}

# Modules of others that can be had no more: the last minor that names them, module -> what is in their place.
GONE = [(15, "github.com/google/cadvisor", "github.com/google/cadvisor v0.34.0"),  # that of 1.15 wants cgo
        (19, "vbom.ml/util", "github.com/fvbommel/util v0.0.3"),
        (17, "github.com/mindprince/gonvml", "github.com/mindprince/gonvml v0.0.0-20190828220739-9ebdce4bb989")]


def main():
    if len(sys.argv) != 2 or not re.fullmatch(r"1\.\d+\.\d+", sys.argv[1]):
        sys.exit("usage: gomod.py 1.MINOR.PATCH")
    version = sys.argv[1]
    got = subprocess.run(["go", "mod", "download", "-json", "k8s.io/kubernetes@v" + version],
                         cwd="/", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, "GOFLAGS": "-mod=mod"})
    try:
        info = json.loads(got.stdout)
    except ValueError:
        info = {"Error": got.stderr.strip().replace("\n", "; ")}
    if "GoMod" not in info:
        sys.exit("gomod.py: k8s.io/kubernetes v%s: %s" % (version, info.get("Error", "not found")))
    with open(info["GoMod"], encoding="utf-8") as f:
        staging = sorted(set(re.findall(r"^\s*(k8s\.io/[\w.-]+) => \./staging", f.read(), re.M)))
    twin = TWINS.get(version, "v0." + version[2:])
    print("module probetest/conformance/adapters/kubelet/whole\n\ngo 1.26.0\n")
    print("require k8s.io/kubernetes v%s\n\nreplace (" % version)
    for name in staging:
        print("\t%s => %s %s" % (name, name, OTHER.get((version, name), twin)))
    for last, name, other in GONE:
        if int(version.split(".")[1]) <= last:
            print("\t%s => %s" % (name, other))
    print(")")


if __name__ == "__main__":
    main()
