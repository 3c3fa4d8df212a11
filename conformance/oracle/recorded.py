#!/usr/bin/env python3
"""An adapter that answers in a real kubelet's place, from what was recorded of it: the contract without Go.

  probetest run --tier contract --k8s 1.30 -- conformance/oracle/recorded.py RECORDINGS-DIR

`hello` says which kubelet.  It looks what it is asked up among the cases that have it so far: the same pod, the same world events and answers at the same
instants.  What no recording begins with it declines, so that the case is skipped; where the runner goes another way
than each of them it answers `internal`, so that it fails.  Layer fire is not played: its results depend on a server.
"""

import json
import lzma
import os
import sys

import record

FEATURES = ("any-state", "clock", "gates", "jitter", "manager", "nostatus", "phase", "restart", "sidecars", "termination", "unknown")


class Refused(Exception):
    """An error that the reply tells: its code, its words."""


def in_any_order(notes):
    return sorted(map(record.dump, notes))


class Cursor:
    """One recorded case, as far as it was played."""

    def __init__(self, item):
        self.script, self.told, self.end = item["script"], item["told"], item["end"]
        self.effects = [(at, effect) for at, effects in item["trace"] for effect in effects]
        attempts = record.Attempts()
        self.which = {n: which for _, effect in self.effects for n, which in attempts.of([effect])}
        self.now = self.given = self.events = 0

    def advance(self, to, events):
        """The reply, or None where the kubelet was asked something else.  Here and there an attempt or hook is told by
        which one of its container it is: its n is the adapter's own."""
        if events:
            if self.events == len(self.script):
                return None
            at, recorded = self.script[self.events]
            if at != self.now or in_any_order(map(self.named, recorded)) != in_any_order(events):
                return None
            self.events += 1
        more = self.events < len(self.script)
        limit = self.told[self.events] if more else len(self.effects)
        at = self.effects[self.given][0] if self.given < limit else None
        if at is None or at > to:
            if to > (self.script[self.events][0] if more else self.end):
                return None
            self.now = to
            return {"at": to, "effects": []}
        first = self.given
        while self.given < limit and self.effects[self.given][0] == at:
            self.given += 1
        self.now = at
        return {"at": at, "effects": [self.named(effect) for _, effect in self.effects[first:self.given]]}

    def named(self, note):
        return {**note, "n": self.which[note["n"]]} if "n" in note else note


def bare(request):
    """What is asked, as text."""
    return record.dump({key: value for key, value in request.items() if key not in ("id", "op")})


class Kubelet:
    """What is recorded of one minor's answers to the contract."""

    def __init__(self, folder, minor):
        self.module, self.observes, self.layers, self.questions, self.cases = "", set(), set(), {}, {}
        for prefix in ("", "pod-"):
            header, items = record.read_recording(os.path.join(folder, f"{prefix}{minor}.jsonl.xz"), "contract-")
            if header:
                self.module = header["module"]
                self.observes |= set(header["observes"])
            for item in items.values():
                self.keep(item)

    def keep(self, item):
        gates = record.dump(item.get("gates", {}))
        if "ask" in item:
            self.layers.add(item["layer"])
            self.questions[gates, item["layer"], record.dump(item["ask"])] = item["ok"]
        elif "told" in item:
            self.layers.add(item["layer"])
            self.cases.setdefault((gates, record.dump(item["open"])), []).append(item)


class Kubelets:
    """Those of a folder, as an adapter."""

    def __init__(self, folder):
        self.folder, self.known = folder, {}
        self.minors = sorted({name.partition(".jsonl")[0].rpartition("-")[2] for name in os.listdir(folder) if name.endswith(".jsonl.xz")})
        self.kubelet, self.gates, self.playing, self.attempts = None, "", None, []

    def hello(self, request):
        minor = request["k8s"]
        if minor not in self.minors:
            raise Refused("unsupported", f"no recording of {minor}")
        if minor not in self.known:
            self.known[minor] = Kubelet(self.folder, minor)
        self.kubelet, self.gates = self.known[minor], record.dump(request.get("gates", {}))
        return {"protocol": 1, "name": "recorded kubelet", "version": self.kubelet.module.rpartition(" ")[2], "language": "Go", "url": "",
                "k8s": self.minors, "layers": sorted(self.kubelet.layers), "features": list(FEATURES),
                "observes": sorted(self.kubelet.observes), "clock": "virtual"}

    def answer(self, request):
        operation = request["op"]
        if operation == "hello":
            return self.hello(request)
        if operation == "open":
            self.playing, self.attempts = [Cursor(item) for item in self.kubelet.cases.get((self.gates, bare(request)), ())], []
            if not self.playing:
                raise Refused("unsupported", "no recording begins like this")
            return self.step(0, [])
        if operation == "advance":
            return self.step(request["to"], request["events"])
        if operation == "close":
            self.playing = None
            return {}
        found = self.kubelet.questions.get((self.gates, operation, bare(request)))
        if found is None:
            raise Refused("unsupported", "no recording has this question")
        return found

    def step(self, to, events):
        """What those that were asked the same so far answer.  They go on together as long as their answers are one, but for the
        order within an instant."""
        events = [{**event, "n": self.attempts[event["n"] - 1]} if "n" in event else event for event in events]
        replies = [(cursor, reply) for cursor, reply in ((cursor, cursor.advance(to, events)) for cursor in self.playing) if reply]
        if not replies:
            raise Refused("internal", "no recording goes on like this: has the case changed?")
        at, effects = replies[0][1]["at"], replies[0][1]["effects"]
        self.playing = [cursor for cursor, reply in replies if reply["at"] == at and in_any_order(reply["effects"]) == in_any_order(effects)]
        return {"at": at, "effects": [{**effect, "n": self.number(effect["n"])} if "n" in effect else effect for effect in effects]}

    def number(self, which):
        """Of an attempt that begins."""
        self.attempts.append(which)
        return len(self.attempts)


def serve(kubelets):
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": kubelets.answer(request)}
        except Refused as why:
            answer = {"error": {"code": why.args[0], "message": why.args[1]}}
        print(record.dump({"id": request["id"], **answer}), flush=True)


def main(argv):
    if len(argv) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        serve(Kubelets(*argv))
    except (OSError, ValueError, KeyError, EOFError, lzma.LZMAError) as why:
        print(f"recorded: {argv[0]}: {why}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
