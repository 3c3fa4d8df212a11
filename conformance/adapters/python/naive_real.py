#!/usr/bin/env python3
"""naive.py, naive_pod.py and naive_fire.py in real time: the example of an adapter with `clock: "real"` (protocol.md 3.3).

Its workers are due when the machine's clock says so, up to 40 times as fast.  What happens between
two requests is kept, with its instant, for the next reply.

    naive_real.py
"""
import json
import sys
import time

import naive
import naive_fire
import naive_pod

SPEED = 40


class Adapter(naive.Adapter):
    name = "naive-real"

    def op_hello(self, request):
        hello = super().op_hello(request)
        return {**hello, "layers": hello["layers"] + ["check", "fire", "pod"], "features": hello["features"] + naive_fire.FEATURES,
                "observes": sorted({*hello["observes"], *naive_pod.OBSERVES, "request"}), "clock": "real", "speed": SPEED, "tier": "contract"}

    def op_check(self, request):
        return {"pod": naive_pod.stored(request["pod"]), "errors": [], "warnings": []}

    def op_fire(self, request):
        return {"result": naive_fire.attempt(request), "output": ""}

    def make(self, request):
        return naive_pod.Pod(request) if request.get("layer") == "pod" else super().make(request)

    def op_open(self, request):
        self.began, self.speed = time.monotonic(), request.get("speed", 1)
        reply = super().op_open(request)
        self.kept = []  # (instant, effects)
        return reply

    def now(self):
        return int((time.monotonic() - self.began) * 1000 * self.speed)

    def live(self, events=()):
        """All that is due by now, and then the events."""
        while (due := self.case.next_due()) is not None and due <= self.now():
            self.step(self.now(), [])
        if events:
            self.step(self.now(), events)

    def step(self, now, events):
        self.case.now = now
        self.case.read_back()
        self.case.syncs = 0
        self.case.advance(now, events)
        effects = self.case.take_effects()
        if effects:
            self.kept.append((now, effects))

    def op_advance(self, request):
        if self.case is None:
            raise naive.BadRequest("no case is open")
        self.live(request.get("events") or [])
        while not self.kept or self.kept[0][0] > request["to"]:
            left = min(x for x in (request["to"], self.case.next_due()) if x is not None) - self.now()
            if request["to"] <= self.now():
                return {"at": request["to"], "effects": []}
            time.sleep(max(left, 0) / 1000 / self.speed)
            self.live()
        at, effects = self.kept.pop(0)
        return {"at": at, "effects": effects}


if __name__ == "__main__":
    try:
        naive.serve(Adapter())
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(0)
