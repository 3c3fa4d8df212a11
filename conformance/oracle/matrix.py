#!/usr/bin/env python3
"""The matrix of releases and layers: every case of the table on the real kubelet of each minor.

  matrix.py PROBETEST MINOR...

For each minor: build the adapters around the prober, around its handlers with the release's own Go (layer fire, of which
the contract's results are recorded), around client-go's events and kubectl and, where the release runs whole, around the kubelet; run the
table on each, record their answers.  Prints one row each:
module, build time, size, run time, and per layer how many cases were judged and passed, or what stopped it.
Which releases have which is in releases, kubectl-releases and pod-releases.  Results stay in
build/oracle/MINOR/result*.jsonl.  ADAPTERS in the environment, some words of "prober handlers kubectl
whole", names those to run, listed or not; CASE in it a selection of cases, of which alone the recordings then
change.  Exit code: the worst of the rows.
"""

import collections
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
LAYERS = ("port", "check", "probe", "pod", "actions", "fire", "events", "kubectl")
GOOD = ("pass", "xfail", "observed")


class Kind:
    """One of the adapters of a release; releases: the file that lists who has it."""

    def __init__(self, name, script, binary, prefix, releases):
        self.name, self.script, self.binary, self.prefix, self.releases = name, script, binary, prefix, releases

    def has(self, minor):
        with open(os.path.join(HERE, self.releases), encoding="utf-8") as f:
            return any(line.split()[:1] == [minor] for line in f)


KINDS = (Kind("prober", "build.sh", "kubelet-adapter", "", "releases"),
         Kind("handlers", "build_handlers.sh", "kubelet-handlers", "handlers-", "releases"),
         Kind("kubectl", "build_kubectl.sh", "kubectl-adapter", "kubectl-", "kubectl-releases"),
         Kind("whole", "build_whole.sh", "kubelet-whole", "pod-", "pod-releases"))


def kinds(minor):
    """Those that the environment names; without it the prober, which says so where there is none, and those listed."""
    wanted = os.environ.get("ADAPTERS", "").split()
    return [kind for kind in KINDS if (kind.name in wanted if wanted else kind.name == "prober" or kind.has(minor))]


def build(minor, kind):
    """(exit code, one line of what went wrong, seconds)."""
    began = time.time()
    done = subprocess.run([os.path.join(HERE, kind.script), minor], capture_output=True, text=True)
    lines = done.stderr.strip().splitlines()
    return done.returncode, lines[0] if lines else "", time.time() - began


def run(minor, kind, probetest, adapter):
    """(exit code, result lines, seconds)."""
    began = time.time()
    folder = os.path.join(ROOT, "build/oracle", minor)
    result = os.path.join(folder, f"result-{kind.prefix}{minor}.jsonl")
    recording = os.path.join(HERE, "recordings", f"{kind.prefix}{minor}.jsonl.xz")
    selection = os.environ.get("CASE", "").split()
    command = [sys.executable, os.path.join(HERE, "record.py"), minor, recording, result, probetest, *selection]
    done = subprocess.run([*command, "--", adapter], capture_output=True, text=True)
    with open(os.path.join(folder, f"run-{kind.prefix}{minor}.log"), "w", encoding="utf-8") as f:
        f.write(done.stdout + done.stderr)
    if done.returncode not in (0, 1):
        return done.returncode, [], time.time() - began
    with open(result, encoding="utf-8") as f:
        return done.returncode, [json.loads(line) for line in f], time.time() - began


def counts(lines):
    """layer -> [passed, judged]."""
    out = collections.defaultdict(lambda: [0, 0])
    for line in lines:
        if "case" in line and line["verdict"] not in ("skip", "not-run"):
            out[line["layer"]][1] += 1
            out[line["layer"]][0] += line["verdict"] in GOOD
    return out


def row(minor, kind, probetest):
    name = f"{minor + ' ' + kind.name:13}"
    code, why, build_s = build(minor, kind)
    if code:
        return code, f"{name} {why}"
    adapter = os.path.join(ROOT, "build/oracle", minor, kind.binary)
    code, lines, run_s = run(minor, kind, probetest, adapter)
    if not lines:
        return code or 4, f"{name} the run ended with {code}: see build/oracle/{minor}/run-{kind.prefix}{minor}.log"
    cells = counts(lines)
    version = "v" + lines[0]["adapter"]["version"].removeprefix("v")
    text = f"{name} {version:9} {build_s:5.0f} s {os.path.getsize(adapter) / 1e6:4.0f} MB {run_s:5.1f} s"
    for layer in LAYERS:
        passed, judged = cells[layer]
        text += f" {f'{passed}/{judged}' if judged else '-':>9}"
    return code, text


def tell(minor, kind):
    """What failed, and how the recording changed."""
    with open(os.path.join(ROOT, "build/oracle", minor, f"run-{kind.prefix}{minor}.log"), encoding="utf-8") as f:
        print("".join(f"    {line}" for line in f), end="", flush=True)


def main(argv):
    if len(argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    for name in os.environ.get("ADAPTERS", "").split():
        if name not in [kind.name for kind in KINDS]:
            print(f"matrix: no adapter {name}: {' '.join(kind.name for kind in KINDS)}", file=sys.stderr)
            return 2
    print(f"{'':13} {'module':9} {'build':>7} {'size':>7} {'run':>7}" + "".join(f" {layer:>9}" for layer in LAYERS), flush=True)
    worst = 0
    for minor in argv[1:]:
        for kind in kinds(minor):
            code, text = row(minor, kind, argv[0])
            print(text, flush=True)
            worst = max(worst, code)
            if len(argv) == 2 and code in (0, 1):
                tell(argv[1], kind)
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
