#!/usr/bin/env python3
"""differential.py [options] -- ADAPTER ARGS...: random pods, worlds and answers of layer `pod`.

Each scenario is played on the real kubelet and on ADAPTER (build/probetest serve); the first instant
at which they differ is reported, after the scenario was shrunk as far as it still differs there.

  --oracle CMD    the real kubelet (build/oracle/1.36/kubelet-whole)
  --n N           scenarios (default 200)
  --seed S        the first one's seed (default 1); scenario i has seed S + i
  --most N        stop after so many differences (default 10)
  --write DIR     write each difference as a scenario file and as the draft of a case
  --no-shrink     report as found
  --ignore KINDS  leave these kinds of effects out, e.g. phase,condition
  --gentle        no failures of the runtime, no hooks, no updates, no restarts of the kubelet
  --harsh         pods that end and are deleted more often, sandboxes that fail, readiness gates, rules, several updates

Where the kubelet does what ADAPTER did once it is played again or ties inside an instant fall otherwise (the
oracle's seeds above 1), the difference is a race of the kubelet itself; such are counted, and so are scenarios that
the oracle declines. Exit 0 no difference, 1 differences, 2 usage, 4 an adapter cannot be used.
"""
import argparse
import collections
import copy
import json
import os
import random
import shlex
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../..")]
import play  # noqa: E402
import draft  # noqa: E402
import recordings  # noqa: E402
import scenarios as S  # noqa: E402
from integers import api_int  # noqa: E402


class Side:
    """An adapter that is started again after it failed."""

    def __init__(self, argv):
        self.argv, self.adapter = argv, None
        self.info = self.call()
        self.minor = int(self.info["k8s"][0].split(".")[1])

    def call(self, **fields):
        if self.adapter is None:
            self.adapter = play.started(self.argv)
        return self.adapter.ask("hello", protocol=1, gates={}, seed=1, **fields)

    def trace(self, scenario, minor):
        """The effects, or the text of what went wrong."""
        out = []
        try:
            if self.adapter is None:
                self.adapter = play.started(self.argv)
            for at, e in play.play(self.adapter, {**scenario, "k8s": "1.%d" % minor}):
                if e["e"] != "<" and not is_others(e):
                    out.append([at, e])
                if len(out) > 5000:
                    raise RuntimeError("more than 5000 effects")
            return out
        except (RuntimeError, OSError) as err:
            if self.adapter is not None:
                self.adapter.close()
            self.adapter = None
            return "error: %s" % err


LONGEST = 2 ** 63 - 1


def grace_of(r, usual):
    return api_int(r, usual, LONGEST)


OURS = {"Ready", "ContainersReady", "Initialized", "PodReadyToStartContainers", "AllContainersRestarting"}


def is_others(e):
    """Conditions that others own are no part of the protocol (section 3)."""
    return e["e"] == "condition" and e["type"] not in OURS


# ---- random scenarios ---------------------------------------------------------------------------

def odd(r, low, high):
    """Milliseconds that fall on nobody's grid."""
    return r.randrange(low, high) // 10 * 10 + r.choice([1, 3, 7, 9])


def random_probe(r, kind):
    p = S.probe(period=r.choice([1, 2, 3, 5, 7, 10]), fail=r.choice([1, 1, 2, 3]),
                success=r.choice([1, 1, 2]) if kind == "readiness" else 1,
                delay=r.choice([0, 0, 0, 2, 5]), timeout=r.choice([1, 1, 2, 4]))
    if kind != "readiness" and r.random() < 0.2:
        p["terminationGracePeriodSeconds"] = grace_of(r, [1, 2, 5, 40])
    return p


def random_container(r, name, hooks, policy=None, probed=0.55):
    probes = {k: random_probe(r, k) for k in ("liveness", "readiness", "startup") if r.random() < probed}
    return S.container(name, policy=policy, pre=hooks and r.random() < 0.15, post=hooks and r.random() < 0.1, **probes)


def sidecar(minor):
    """The restart policy of a sidecar: 1.28 refuses the pod whose API server let it through, its gate being off."""
    return None if minor == 28 else "Always"


def give_deadline(seed, pod):
    """One pod in four is active for a while only; drawn apart, so that the rest of a seed's scenario is as it was."""
    r = random.Random("deadline-%s" % seed)
    if r.random() < 0.25:
        pod["spec"]["activeDeadlineSeconds"] = r.choice([1, 2, 3, 5, 8, 10, 15, 20, 30, 45, 2 ** 31 - 1])


def random_answers(r, kind):
    weights = {"liveness": [6, 3, 0.3, 0.3], "readiness": [5, 4, 0.3, 0.3], "startup": [3, 5, 0.2, 0.3]}[kind]
    out = []
    for i in range(r.randrange(1, 12)):
        a = r.choices(["success", "failure", "error", "timeout"], weights)[0]
        out.append({"result": a, "output": "" if a == "success" else r.choice(["bad", "no", ""]),
                    "ms": odd(r, 10, 900)})
    out.append({"result": "success", "ms": odd(r, 10, 900)})
    return out


def random_scenario(seed, minor, gentle=False):
    r = random.Random(seed)
    rough = not gentle
    names = ["app", "web"][:r.choice([1, 1, 2])]
    regular = [random_container(r, n, rough) for n in names]
    init = []
    if r.random() < 0.25:
        init.append(S.container("setup"))
    if r.random() < 0.25:
        init.append(random_container(r, "side", rough, policy=sidecar(minor), probed=0.4))
    pod = S.pod(*regular, init=init, restart=r.choices(["Always", "OnFailure", "Never"], [5, 2, 2])[0],
                grace=grace_of(r, [30, 30, 5, 2, 10]))
    give_deadline(seed, pod)
    s = {"name": "random-%d" % seed, "rules": [], "since": minor, "pod": pod,
         "uptime": r.choice([120500, 120500, 130000 + r.randrange(1000)]),
         "requeueJitter": r.choice([0, 0, 0, 0.5]), "until": r.choice([40000, 60000, 120000]),
         "probes": {}, "kills": {}, "exits": {}, "starts": {}, "hooks": {}, "world": []}
    for c in regular + init:
        random_life(r, s, c, rough, c["name"] == "setup")
    if r.random() < 0.35:
        s["world"].append({"at": odd(r, 3000, s["until"]), "e": "delete", "grace": grace_of(r, [30, 5, 1, 0])})
    if rough and r.random() < 0.1:
        changed = copy.deepcopy(pod)
        changed["spec"]["containers"][0]["image"] += "2"
        s["world"].append({"at": odd(r, 3000, s["until"]), "e": "update", "pod": changed})
    if rough and r.random() < 0.05:
        down = odd(r, 3000, 40000)
        s["world"] += [{"at": down, "e": "runtime-down"}, {"at": down + odd(r, 500, 20000), "e": "runtime-up"}]
    if rough and can_restart(s) and r.random() < 0.2:
        s["world"].append({"at": odd(r, 3000, s["until"]), "e": "kubelet-restart", "down": odd(r, 100, 15000)})
    if rough and r.random() < 0.15:
        s["sandbox"] = {"create": [odd(r, 10, 4000)], "stop": [odd(r, 10, 4000)]}
    s["world"].sort(key=lambda e: e["at"])
    return {k: v for k, v in s.items() if v not in ({}, [])}


def can_restart(s):
    """Whether no worker's start delay after a restart is more than nothing (life.go). A startup worker and
    another one would race for who looks first, and without a runtime no kubelet comes back."""
    spec = s["pod"]["spec"]
    probes = [(k, c[k]["periodSeconds"]) for c in spec["containers"] + spec.get("initContainers", []) for k in c
              if k.endswith("Probe")]
    few = len(probes) < 3 or (len(probes) == 3 and max(p for _, p in probes) == 1)
    raced = len(probes) > 1 and any(k == "startupProbe" for k, _ in probes)
    return few and not raced and not any(e["e"] == "runtime-down" for e in s["world"])


def random_life(r, s, c, rough, ends):
    name = c["name"]
    for kind in ("liveness", "readiness", "startup"):
        if kind + "Probe" in c:
            s["probes"]["%s/%s" % (name, kind)] = random_answers(r, kind)
    s["kills"][name] = []
    for _ in range(r.randrange(1, 4)):
        kill = {"ms": r.choice([odd(r, 10, 900), odd(r, 10, 8000), 60001]), "code": r.choice([143, 143, 0, 137])}
        if rough and r.random() < 0.05:
            kill = {"fail": "busy", "ms": odd(r, 1, 500)}
        s["kills"][name].append(kill)
    if ends:
        s["exits"][name] = [{"ms": odd(r, 10, 4000), "code": r.choice([0, 0, 0, 1])} for _ in range(3)] + \
                           [{"ms": odd(r, 10, 900), "code": 0}] * 20
    elif r.random() < 0.3:
        s["exits"][name] = [r.choice([None, {"ms": odd(r, 10, 30000), "code": r.choice([0, 1, 2])}])
                            for _ in range(r.randrange(1, 6))]
    s["starts"][name] = [odd(r, 10, 2500) if r.random() < 0.3 else odd(r, 1, 30) for _ in range(3)]
    if rough and r.random() < 0.06:
        s["starts"][name].insert(r.randrange(3), {"fail": r.choice(["RunContainerError", "CreateContainerError"]),
                                                  "message": "boom", "ms": odd(r, 1, 300)})
    for kind in ("preStop", "postStart"):
        if kind in c.get("lifecycle", {}):
            s["hooks"]["%s/%s" % (name, kind)] = [
                {"result": r.choice(["success", "success", "failure"]), "output": "oops",
                 "ms": r.choice([odd(r, 10, 900), odd(r, 10, 7000)])} for _ in range(2)]


# ---- harsh ones ---------------------------------------------------------------------------------

INITS = [[], [], ["setup"], ["side"], ["setup", "side"], ["side", "setup"], ["side", "tail"]]


def harsh_scenario(seed, minor):
    r = random.Random("harsh-%d" % seed)
    regular = [random_container(r, n, True, probed=0.4) for n in ["app", "web"][:r.choice([1, 1, 2])]]
    init = [S.container(n) if n == "setup" else random_container(r, n, True, policy=sidecar(minor), probed=0.3)
            for n in r.choice(INITS)]
    for c in regular if minor >= 35 and r.random() < 0.3 else []:
        if r.random() < 0.6:
            add_rules(r, c, minor)
    pod = S.pod(*regular, init=init, restart=r.choices(["Always", "OnFailure", "Never"], [3, 3, 4])[0],
                grace=grace_of(r, [30, 5, 2, 10]))
    give_deadline("harsh-%d" % seed, pod)
    if r.random() < 0.3:
        pod["spec"]["readinessGates"] = [{"conditionType": "a/b"}]
    s = {"name": "harsh-%d" % seed, "rules": [], "since": minor, "pod": pod,
         "uptime": r.choice([120500, 130000 + r.randrange(1000)]), "requeueJitter": r.choice([0, 0, 0.5]),
         "until": r.choice([40000, 60000, 90000]), "syncFrequency": r.choice([60000, 60000, 15000]),
         "probes": {}, "kills": {}, "exits": {}, "starts": {}, "hooks": {}, "world": []}
    for c in regular + init:
        harsh_life(r, s, c)
    if r.random() < 0.6:
        s["sandbox"] = {"create": [harsh_step(r, 0.25) for _ in range(r.randrange(1, 4))] + [0],
                        "stop": [harsh_step(r, 0.4) for _ in range(r.randrange(1, 4))] + [harsh_step(r, 0)]}
    harsh_world(r, s)
    return {k: v for k, v in s.items() if v not in ({}, [])}


def add_rules(r, c, minor):
    c["restartPolicy"] = r.choice(["Always", "OnFailure", "Never"])
    c["restartPolicyRules"] = [{"action": r.choice(["Restart"] + ["RestartAllContainers"] * 2 * (minor >= 36)),
                                "exitCodes": {"operator": r.choice(["In", "NotIn"]), "values": [r.choice([0, 1, 2, 137])]}}]


def harsh_step(r, failing):
    ms = r.choice([0, odd(r, 10, 900), odd(r, 10, 3000)])
    return {"fail": "no luck", "ms": ms} if r.random() < failing else ms


def harsh_life(r, s, c):
    name = c["name"]
    random_life(r, s, c, True, name == "setup")
    if name == "setup" and r.random() < 0.3:
        s["exits"][name] = [{"ms": odd(r, 10, 2000), "code": r.choice([0, 1])} for _ in range(4)] + s["exits"][name]
    elif name != "setup" and r.random() < 0.5:
        s["exits"][name] = [r.choice([None, {"ms": odd(r, 10, 12000), "code": r.choice([0, 0, 1, 2])}])
                            for _ in range(r.randrange(1, 5))]
    if r.random() < 0.25:
        s["kills"][name].insert(0, {"fail": "busy", "ms": r.choice([0, odd(r, 1, 500), odd(r, 500, 4000)])})
    if r.random() < 0.2:
        s["starts"][name].insert(r.randrange(3), {"fail": r.choice(["RunContainerError", "CreateContainerError"]),
                                                  "message": "boom", "ms": odd(r, 1, 300)})


def harsh_world(r, s):
    world, until = s["world"], s["until"]
    if r.random() < 0.6:
        at, grace = odd(r, 1000, until - 2000), grace_of(r, [30, 5, 1, 0])
        world.append({"at": at, "e": "delete", "grace": grace})
        if r.random() < 0.3 and grace > 1:
            world.append({"at": at + odd(r, 100, 8000), "e": "delete", "grace": r.choice([0, 1, max(0, grace - 2)])})
    pod = s["pod"]
    for at in sorted(odd(r, 1000, until) for _ in range(r.choice([0, 0, 1, 2, 3]))):
        pod = copy.deepcopy(pod)
        what = r.choice(["same", "label", "image", "gate", "gate"] if "readinessGates" in pod["spec"] else ["same", "label", "image"])
        if what == "label":
            pod["metadata"].setdefault("labels", {})["x"] = str(at)
        elif what == "image":
            pod["spec"]["containers"][0]["image"] += "2"
        elif what == "gate":
            pod["status"]["conditions"] = [{"type": "a/b", "status": r.choice(["True", "False"])}]
        world.append({"at": at, "e": "update", "pod": pod})
    if r.random() < 0.25 and can_restart(s):
        world.append({"at": odd(r, 1000, until), "e": "kubelet-restart", "down": odd(r, 100, 9000)})
    elif r.random() < 0.15:
        down = odd(r, 1000, 40000)
        world += [{"at": down, "e": "runtime-down"}, {"at": down + odd(r, 500, 20000), "e": "runtime-up"}]
    world.sort(key=lambda e: e["at"])


# ---- comparing and shrinking --------------------------------------------------------------------

# How often a difference is played again as it is, and with how many seeds of the ties.
AGAIN = 6
SEEDS = 200


class Judge:
    def __init__(self, oracle, other):
        self.oracle, self.other = oracle, other
        self.observes = set(oracle.info["observes"]) & set(other.info["observes"])
        self.played = self.declined = 0

    def difference(self, s):
        """None, or (index, wanted, got), or a text."""
        self.played += 1
        want = self.oracle.trace(s, self.oracle.minor)
        if isinstance(want, str) and " unsupported: " in want:  # README.md, What it cannot do
            self.declined += 1
            return None
        got = self.other.trace(s, self.oracle.minor)
        if isinstance(want, str) or isinstance(got, str):
            return None if want == got else "oracle %s; other %s" % tuple(
                x if isinstance(x, str) else "plays it" for x in (want, got))
        return recordings.diff([want], got, self.observes)

    def race(self, s):
        """Whether the kubelet does what the other did when nothing but chance is another: played again, or with ties
        that fall otherwise. That it does not do twice the same by itself is no excuse."""
        got = self.other.trace(s, self.oracle.minor)
        if isinstance(got, str):
            return False
        for other in [{}] * AGAIN + [{"seed": seed} for seed in range(2, SEEDS)]:
            want = self.oracle.trace({**s, **other}, self.oracle.minor)
            if not isinstance(want, str) and recordings.diff([want], got, self.observes) is None:
                return True
        return False


def smaller(s):
    """Scenarios with one thing less, the biggest first."""
    pod = s["pod"]["spec"]
    for key in ("initContainers", "containers"):
        for i in range(len(pod.get(key, []))):
            if key == "containers" and len(pod[key]) == 1:
                continue
            t = copy.deepcopy(s)
            del t["pod"]["spec"][key][i]
            t["world"] = [e for e in t.get("world", []) if e["e"] != "update"]
            yield t
    for i in range(len(s.get("world", []))):
        t = copy.deepcopy(s)
        del t["world"][i]
        yield t
    for key in ("initContainers", "containers"):
        for i, c in enumerate(pod.get(key, [])):
            for field in ("livenessProbe", "readinessProbe", "startupProbe", "lifecycle"):
                if field in c:
                    t = copy.deepcopy(s)
                    del t["pod"]["spec"][key][i][field]
                    yield t
    for table in ("exits", "starts", "kills", "hooks", "probes", "sandbox"):
        for key in s.get(table, {}):
            t = copy.deepcopy(s)
            del t[table][key]
            yield t
            if len(s[table][key]) > 1:
                for cut in (len(s[table][key]) // 2, len(s[table][key]) - 1):
                    t = copy.deepcopy(s)
                    t[table][key] = t[table][key][:cut]
                    yield t
    for key, plain in (("requeueJitter", 0), ("uptime", 120500)):
        if s.get(key) != plain:
            yield {**copy.deepcopy(s), key: plain}


def shrink(judge, s, d):
    budget = 80
    going = True
    while going and budget > 0:
        going = False
        for t in smaller(s):
            budget -= 1
            if budget <= 0:
                break
            e = judge.difference(t)
            if e is not None and isinstance(e, str) == isinstance(d, str):
                t, e = cut_after(judge, t, e)
                if not judge.race(t):
                    s, d, going = t, e, True
                    break
    return s, d


def cut_after(judge, s, d):
    """The scenario, ended right after its first difference."""
    if not isinstance(d, str):
        at = min(x[d[0]][0] for x in (d[1], d[2]) if d[0] < len(x))
        cut = {**s, "until": at + 1}
        e = judge.difference(cut)
        if e is not None:
            return cut, e
    return s, d


def first_of(d):
    """What came on one side alone, as a word or two: races are counted by it."""
    if isinstance(d, str):
        return "error"
    index, want, got = d
    _, e = min((x[index] for x in (want, got) if index < len(x)), key=lambda step: step[0])
    return " ".join([e["e"]] + [e[k] for k in ("type", "do", "reason") if e["e"] in ("probe", "sandbox", "event") and k in e])


class Listener:
    """An adapter whose exchange is listened to."""

    def __init__(self, adapter):
        self.heard, self.listened = draft.exchange(lambda r: adapter.ask(**r))

    def ask(self, op, **fields):
        return self.listened({"op": op, **fields})


def write_draft(folder, judge, s, said):
    """The scenario as a case that expects what the kubelet did, played on both sides."""
    minor = "1.%d" % judge.oracle.minor
    try:
        listener = Listener(judge.oracle.adapter or play.started(judge.oracle.argv))
        for _ in play.play(listener, {**s, "k8s": minor}):
            pass
    except (RuntimeError, OSError) as err:
        print("no draft: %s" % err)
        return
    item = draft.of_exchange("pod", s.get("gates", {}), listener.heard)
    path, verdicts = draft.write(folder, "draft-%s-k%d" % (s["name"], judge.oracle.minor), item, minor,
                                 said.splitlines(), judge.oracle.info["observes"],
                                 [("the kubelet", judge.oracle.argv), ("the adapter", judge.other.argv)])
    print("written to %s: %s" % (path, ", ".join("%s: %s" % v for v in verdicts)), flush=True)


def main():
    if "--" not in sys.argv:
        sys.exit(__doc__)
    cut = sys.argv.index("--")
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--oracle", default="build/oracle/1.36/kubelet-whole")
    ap.add_argument("--n", type=int, default=200)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--most", type=int, default=10)
    ap.add_argument("--write")
    ap.add_argument("--no-shrink", action="store_true")
    ap.add_argument("--ignore", default="")
    kind = ap.add_mutually_exclusive_group()
    kind.add_argument("--gentle", action="store_true")
    kind.add_argument("--harsh", action="store_true")
    a = ap.parse_args(sys.argv[1:cut])
    if a.n < 1:
        ap.error("--n %d: wanted 1 or more" % a.n)
    try:
        judge = Judge(Side(shlex.split(a.oracle)), Side(sys.argv[cut + 1:]))
    except (RuntimeError, OSError, ValueError) as err:
        print("differential.py: %s" % err, file=sys.stderr)
        return 4
    judge.observes -= set(a.ignore.split(","))
    found = done = declined = 0
    races = collections.Counter()
    for i in range(a.n):
        s = (harsh_scenario(a.seed + i, judge.oracle.minor) if a.harsh else
             random_scenario(a.seed + i, judge.oracle.minor, a.gentle))
        before = judge.declined
        d = judge.difference(s)
        done += 1
        declined += judge.declined - before
        if d is None:
            continue
        s, d = cut_after(judge, s, d)
        if judge.race(s):
            races[first_of(d)] += 1
            continue
        found += 1
        if not a.no_shrink:
            s, d = shrink(judge, s, d)
        said = d if isinstance(d, str) else recordings.report(s["name"], d)
        print(said, flush=True)
        if a.write:
            write_draft(a.write, judge, s, said)
            os.makedirs(a.write, exist_ok=True)
            with open(os.path.join(a.write, "%s-k%d.json" % (s["name"], judge.oracle.minor)), "w") as f:
                json.dump({**s, "k8s": "1.%d" % judge.oracle.minor}, f, indent=1, sort_keys=True)
        if found >= a.most:
            break
    print("%s: %d scenarios, %d of them declined by the oracle, %d differ, %d races of the kubelet itself (seeds %d..%d)%s" % (
        judge.oracle.info["version"], done, declined, found, sum(races.values()), a.seed, a.seed + done - 1,
        "".join(", %s %d" % race for race in races.most_common())))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
