#!/usr/bin/env python3
"""play.py SCENARIO.json [--events] [--json] [--until MS] -- ADAPTER ARGS...

Play one scenario of layer `pod` on an adapter and print the effects as a timeline.

A scenario:
  {"k8s": "1.36", "gates": {}, "uptime": 120500, "wall": 0, "requeueJitter": 0, "syncFrequency": 60000,
   "until": 100000, "pod": {...},
   "probes":  {"app/liveness": ["S", "S", "F"]},         answers in order; the last one repeats
   "hooks":   {"app/preStop": [{"result": "success", "ms": 2000}]},
   "starts":  {"app": [0, {"fail": "RunContainerError", "message": "boom", "ms": 0}]},
   "kills":   {"app": [{"ms": 5000, "code": 143}, {"fail": "no", "ms": 0}]},
   "exits":   {"app": [{"ms": 20130, "code": 0}]},       by instance: exits by itself, ms after its start
   "sandbox": {"create": [0], "stop": [0, {"fail": "no"}]},
   "world":   [{"at": 25000, "e": "delete", "grace": 5}]}
An answer is S, F, E (error), T (timeout), or {"result", "output", "code", "ms"}; a bare number is ms.
In "exits" null means that this instance does not exit by itself; after the list's end none does.
Where nothing is said: probes succeed at once, a kill takes no time and ends with 143, or 137 with
reason Error after the grace if "code" is 137. A probe whose answer has "ms": null is never answered.
"""
import argparse
import collections
import copy
import heapq
import json
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../oracle"))
import client  # noqa: E402



def started(argv):
    """The adapter: a whole kubelet takes its time, and its log, where it is asked for, is on stderr."""
    return client.Adapter(argv, None, None)


SHORT = {"S": "success", "F": "failure", "E": "error", "T": "timeout"}


def as_dict(item, default):
    if isinstance(item, str):
        item = {"result": SHORT.get(item, item)}
    elif isinstance(item, (int, float)):
        item = {"ms": item}
    return {**default, **(item or {})}


class World:
    """What the scenario says of durations and outcomes, and what runs."""

    def __init__(self, s):
        self.s = s
        self.used = {}
        self.instances = {}
        self.alive = {}    # cid -> container
        self.dead = set()
        self.starting = collections.Counter()  # container -> starts under way
        self.down = False  # the runtime answers nothing
        self.due = []      # (at, kind, seq, event)
        self.seq = 0
        for e in s.get("world", []):
            e = dict(e)
            self.at(e.pop("at"), 1, e)

    def at(self, t, kind, event):
        self.seq += 1
        heapq.heappush(self.due, (int(t), kind, self.seq, event))

    def pick(self, table, key, default, repeat=True):
        items = self.s.get(table, {}).get(key, [])
        n = self.used.get((table, key), 0)
        self.used[(table, key)] = n + 1
        if n >= len(items) and (not repeat or not items):
            return dict(default)
        return as_dict(items[min(n, len(items) - 1)], default)

    def refuse(self, now, e):
        """What a runtime that is down makes of a request."""
        text = "rpc error: code = Unavailable desc = connection refused"
        same = {k: e[k] for k in ("container", "cid", "n", "do", "attempt") if k in e}
        event = {"probe": {"e": "answer", "result": "error", "output": text, "code": 0},
                 "hook": {"e": "answer", "result": "failure", "output": text, "code": 1},
                 "start": {"e": "startfail", "reason": "CreateContainerError", "message": text},
                 "kill": {"e": "killfail", "message": text},
                 "sandbox": {"e": "sandbox", "error": text}}.get(e["e"])
        if event and e.get("cid") not in self.dead:
            self.at(now, 0, {**same, **event} if e["e"] != "probe" else {"n": e["n"], **event})

    def effect(self, now, e):
        kind = e["e"]
        self.starting[e.get("container")] += kind == "start"
        if self.down:
            self.refuse(now, e)
            return
        if kind in ("probe", "hook"):
            table = "probes" if kind == "probe" else "hooks"
            a = self.pick(table, e["container"] + "/" + e["type"], {"result": "success", "ms": 0})
            if a["ms"] is None:
                return
            ev = {"e": "answer", "n": e["n"], "result": a["result"], "output": a.get("output", ""),
                  "code": a.get("code", 0 if a["result"] == "success" else 1)}
            self.at(now + a["ms"], 0, ev)
        elif kind == "start":
            self.start(now, e)
        elif kind == "kill":
            self.kill(now, e)
        elif kind == "sandbox":
            a = self.pick("sandbox", e["do"], {"ms": 0})
            ev = {"e": "sandbox", "do": e["do"], "attempt": e["attempt"]}
            if "fail" in a:
                ev["error"] = a["fail"]
            self.at(now + a["ms"], 0, ev)

    def start(self, now, e):
        c = e["container"]
        a = self.pick("starts", c, {"ms": 0})
        if self.starting[c] > 1:  # a dead kubelet asked for it, too, and the runtime gives a name once
            a = {"fail": "CreateContainerError", "message": "failed to reserve container name", "ms": 0}
        if "fail" in a:
            ev = {"e": "startfail", "container": c, "reason": a["fail"], "message": a.get("message", "failed")}
            if a["fail"] == "RunContainerError":
                ev["cid"] = self.cid(c)
            self.at(now + a["ms"], 0, ev)
            return
        cid = self.cid(c)
        self.at(now + a["ms"], 0, {"e": "running", "container": c, "cid": cid, "restarts": e["restart"]})

    def cid(self, c):
        n = self.instances.get(c, 0)
        self.instances[c] = n + 1
        return "%s-%d" % (c, n)

    def kill(self, now, e):
        c = e["container"]
        a = self.pick("kills", c, {"ms": 0, "code": 143})
        if e["cid"] in self.dead:
            return
        if "fail" in a:
            self.at(now + a["ms"], 0, {"e": "killfail", "container": c, "cid": e["cid"], "message": a["fail"]})
            return
        ms = min(a["ms"], e["grace"] * 1000)
        code = 137 if a["ms"] > e["grace"] * 1000 else a["code"]
        self.at(now + ms, 0, {"e": "exited", "container": c, "cid": e["cid"], "code": code,
                              "reason": "Completed" if code == 0 else "Error"})

    @staticmethod
    def without_sandbox(event):
        """Nothing starts in a sandbox that was stopped meanwhile: a dead kubelet may have asked for that."""
        if event["e"] != "running":
            return event
        return {"e": "startfail", "container": event["container"], "reason": "CreateContainerError",
                "message": "sandbox container is not running"}

    def sent(self, now, events):
        """Note what the events do to the world; return them and what comes with them."""
        out = []
        for e in events:
            if e["e"] == "exited":
                if e["cid"] in self.dead:
                    continue
                self.dead.add(e["cid"])
                self.alive.pop(e["cid"], None)
            if e["e"] == "sandbox" and e["do"] == "stop" and "error" not in e:
                for cid, c in list(self.alive.items()):
                    out.append({"e": "exited", "container": c, "cid": cid, "code": 137, "reason": "Error"})
                    self.dead.add(cid)
                    del self.alive[cid]
                self.due = [(*rest, self.without_sandbox(event)) for *rest, event in self.due]
            if e["e"] in ("runtime-down", "runtime-up"):
                self.down = e["e"] == "runtime-down"
            out.append(e)
            self.starting[e.get("container")] -= e["e"] in ("running", "startfail")
            if e["e"] == "running":
                self.alive[e["cid"]] = e["container"]
                x = self.pick("exits", e["container"], {"ms": None, "code": 0}, repeat=False)
                if x["ms"] is not None:
                    ev = {"e": "exited", "container": e["container"], "cid": e["cid"], "code": x["code"],
                          "reason": x.get("reason", "Completed" if x["code"] == 0 else "Error")}
                    if "message" in x:
                        ev["message"] = x["message"]
                    if x["ms"] == 0:
                        self.dead.add(e["cid"])
                        del self.alive[e["cid"]]
                        out.append(ev)
                    else:
                        self.at(now + x["ms"], 0, ev)
        return out


def opening(s):
    """The fields of the scenario's `open`."""
    fields = {k: s[k] for k in ("uptime", "wall", "jitter", "requeueJitter", "syncFrequency") if k in s}
    return {"layer": "pod", "pod": s["pod"], "uptime": 120500, **fields}


def play(adapter, scenario):
    """Play; yield (at, effect) in order, and (at, {"e": "<", ...}) for each event sent."""
    s = copy.deepcopy(scenario)
    hello = {"protocol": 1, "gates": s.get("gates", {}), "seed": s.get("seed", 1)}
    if "k8s" in s:
        hello["k8s"] = s["k8s"]
    adapter.ask("hello", **hello)
    w = World(s)
    fields = opening(s)
    got = adapter.ask("open", **fields)
    until, now, turn = s["until"], got["at"], 0
    while True:
        quiet = not got["effects"]
        for e in got["effects"]:
            yield now, e
            w.effect(now, e)
        # Answers due now are sent at once; the world's own events only when all is quiet.
        events = []
        while w.due and w.due[0][0] <= now and (w.due[0][1] == 0 or (quiet and not events)):
            events.append(heapq.heappop(w.due)[3])
        if not events and now >= until and quiet:
            break
        to = min([until] + [w.due[0][0]] if w.due else [until])
        to = max(to, now)
        events = w.sent(now, events)
        turn += 1
        for e in events:
            yield now, {"e": "<", "sent": e, "turn": turn}
        got = adapter.ask("advance", to=now if events else to, events=events)
        now = got["at"]
    adapter.ask("close")


def text(e):
    rest = " ".join("%s=%s" % (k, json.dumps(v) if isinstance(v, (dict, list)) else v)
                    for k, v in e.items() if k not in ("e", "container", "type"))
    return "%-9s %-8s %-14s %s" % (e["e"], e.get("container", ""), e.get("type", ""), rest)


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("scenario")
    ap.add_argument("--events", action="store_true", help="also print what is sent")
    ap.add_argument("--json", action="store_true", help="one [at, effect] a line")
    ap.add_argument("--until", type=int)
    if "--" not in sys.argv[1:]:
        ap.error("no adapter: ... -- ADAPTER ARGS")
    cut = sys.argv.index("--")
    a = ap.parse_args(sys.argv[1:cut])
    with open(a.scenario, encoding="utf-8") as f:
        s = json.load(f)
    if a.until is not None:
        s["until"] = a.until
    adapter = started(sys.argv[cut + 1:])
    for at, e in play(adapter, s):
        if e["e"] == "<" and not a.events:
            continue
        e.pop("turn", None)
        print(json.dumps([at, e]) if a.json else "%10.3f  %s" % (at / 1000, text(e)))
    adapter.close()


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, OSError, ValueError) as err:
        sys.exit("play.py: %s" % err)
