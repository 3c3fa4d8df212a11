#!/usr/bin/env python3
"""An adapter that answers in a real kubelet's place, from what was recorded of it: the contract without Go.

  probetest run --tier contract --k8s 1.30 -- conformance/oracle/recorded.py RECORDINGS-DIR 1.30

It looks what it is asked up among the cases that have it so far: the same pod, the same world events and answers at the same
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
        self.minor, self.module, self.observes, self.layers = minor, "", set(), set()
        self.questions, self.cases, self.gates, self.playing, self.attempts = {}, {}, {}, None, []
        for prefix in ("", "pod-"):
            path = os.path.join(folder, f"{prefix}{minor}.jsonl.xz")
            header, items = record.read_recording(path, "contract-")
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

    def hello(self, request):
        self.gates = request.get("gates", {})
        return {"protocol": 1, "name": "recorded kubelet", "version": self.module.split()[-1], "language": "Go", "url": "",
                "k8s": [self.minor], "layers": sorted(self.layers), "features": list(FEATURES), "observes": sorted(self.observes),
                "clock": "virtual"}

    def answer(self, request):
        operation, gates = request["op"], record.dump(self.gates)
        if operation == "hello":
            return self.hello(request)
        if operation == "open":
            self.playing, self.attempts = [Cursor(item) for item in self.cases.get((gates, bare(request)), ())], []
            if not self.playing:
                raise Refused("unsupported", "no recording begins like this")
            return self.step(0, [])
        if operation == "advance":
            return self.step(request["to"], request["events"])
        if operation == "close":
            self.playing = None
            return {}
        found = self.questions.get((gates, operation, bare(request)))
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


def main(argv):
    if len(argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        kubelet = Kubelet(*argv)
    except (OSError, ValueError, KeyError, EOFError, lzma.LZMAError) as why:
        print(f"recorded: {argv[0]}: a recording of {argv[1]}: {why}", file=sys.stderr)
        return 3
    if not kubelet.module:
        print(f"recorded: {argv[0]} has no recording of {argv[1]}", file=sys.stderr)
        return 3
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": kubelet.answer(request)}
        except Refused as why:
            answer = {"error": {"code": why.args[0], "message": why.args[1]}}
        print(record.dump({"id": request["id"], **answer}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
