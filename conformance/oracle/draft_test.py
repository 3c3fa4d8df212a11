#!/usr/bin/env python3
"""Drafts of cases: the case loader takes each, and what was played comes out again.

  draft_test.py PROBETEST [N]    N random scenarios of each layer (default 60), the engine in the place of the kubelet

A draft that says of itself that it is not exact has to load; every other one has to pass, and to fail
once an instant of its trace is moved.
"""

import os
import random
import shlex
import signal
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ADAPTERS = os.path.join(os.path.dirname(HERE), "adapters")
sys.path[:0] = [HERE, ADAPTERS, os.path.join(ADAPTERS, "python")]
import client  # noqa: E402
import differential  # noqa: E402
import documents  # noqa: E402
import draft  # noqa: E402
import scenarios  # noqa: E402

WHOLE = os.path.join(ADAPTERS, "kubelet/whole")
MINORS = [15, 20, 22, 28, 31, 35, 36, 37]


def of_probe(command, n):
    """(k8s, item) of layer probe."""
    process = differential.Process(command)
    for seed in range(n):
        scenario = scenarios.Generator(seed, [MINORS[seed % len(MINORS)]], exec_only=True).scenario()
        heard, record = draft.exchange(process.ask)
        scenarios.play(scenario, record)
        yield scenario["k8s"], draft.of_exchange("probe", scenario["gates"], heard)
    process.end()


def of_pod(command, n):
    """(k8s, item) of layer pod."""
    folder = sys.path[:]
    ours = {name: sys.modules.pop(name) for name in ("scenarios", "differential")}
    sys.path.insert(0, WHOLE)
    import differential as pods
    sys.path[:] = folder
    sys.modules.update(ours)
    side = pods.Side(command)
    for seed in range(n):
        minor = [33, 36, 37][seed % 3]
        scenario = pods.random_scenario(seed, minor)
        record = pods.Listener(side.adapter)
        for _ in pods.play.play(record, {**scenario, "k8s": f"1.{minor}"}):
            pass
        yield f"1.{minor}", draft.of_exchange("pod", {}, record.heard)
    side.adapter.close()


def questions(command, n):
    """(k8s, item) of the layers port and check."""
    adapter = client.Adapter(command)
    for seed in range(n):
        rng = random.Random(seed)
        minor = MINORS[seed % len(MINORS)]
        adapter.ask("hello", protocol=1, k8s=f"1.{minor}", gates={}, seed=1)
        for layer, ask in (("port", documents.port_question(rng)), ("check", {"yaml": documents.Document(rng, minor).text()})):
            yield f"1.{minor}", {"layer": layer, "ask": ask, "ok": adapter.ask(layer, **ask)}
    adapter.close()


def moved(text):
    """The draft with its last line of trace a second later, or None."""
    head, mark, trace = text.partition("    trace: |\n")
    lines = trace.splitlines()
    if not mark or not lines:
        return None
    at, rest = lines[-1].strip().split(" ", 1)
    lines[-1] = f"      {draft.span(round(float(at[:-1]) * 1000) + 1000)} {rest}"
    return head.replace("    for: ", "    for: 999s #") + mark + "\n".join(lines) + "\n"


def check(folder, name, k8s, item, observes):
    """None, or what is wrong."""
    path, _ = draft.write(folder, name, item, k8s, ["a test"], observes, [])
    with open(path, encoding="utf-8") as file:
        text = file.read()
    verdict = draft.holds(path, k8s)
    if "# NOT EXACT" in text:
        return verdict if verdict.startswith("damaged") else None
    if verdict != "pass":
        return verdict
    worse = moved(text)
    if worse:
        with open(path, "w", encoding="utf-8") as file:
            file.write(worse)
        if draft.holds(path, k8s) != "fail":
            return "passes with an instant moved"
    return None


def main(argv):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and nothing is left
    if not argv:
        print(__doc__, file=sys.stderr)
        return 2
    command = shlex.split(argv[0]) + ["serve"]
    n = int(argv[1]) if len(argv) > 1 else 60
    made = failed = 0
    observes = client.Adapter(command).ask("hello", protocol=1, k8s="1.36", gates={}, seed=1)["observes"]
    with tempfile.TemporaryDirectory() as folder:
        for source in (of_probe, of_pod, questions):
            for i, (k8s, item) in enumerate(source(command, n)):
                made += 1
                why = check(folder, f"draft-{source.__name__.replace('_', '-')}-{i}", k8s, item, observes)
                if why:
                    failed += 1
                    print(f"drafts: {source.__name__} {i} on {k8s}: {why}")
    print(f"drafts: {made} written, {failed} of them not as played")
    return 1 if failed or not made else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
