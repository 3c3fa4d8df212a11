#!/usr/bin/env python3
"""The layer `pod` as the documentation describes it, and no more: an example for who decides kills and restarts, and is no kubelet.

It is written from the sentences of `probetest contract`: no ticks, no relists, no sync loop.  A probe is due a whole number of
periods after its container's start.

    probetest run -- python3 naive_pod.py
"""
import sys

import naive

FIRST = {"startup": "unknown", "readiness": "failure", "liveness": "success"}
BACK_OFF = [0] + [min(10 * 2**k, 300) * 1000 for k in range(6)]  # ms before the first restart, the second, ...
LEAST = 2  # seconds that a container has left whose preStop has used up its grace period


class Probe:
    """One probe of one instance."""

    def __init__(self, kind, spec, started):
        self.kind, self.spec, self.value = kind, spec, FIRST[kind]
        self.due = started + spec.get("initialDelaySeconds", 0) * 1000
        self.waiting, self.last, self.count = None, "", 0

    def answered(self, result):
        """True: that made it another result."""
        self.waiting = None
        if result == "error":
            return False
        result = "success" if result in ("success", "warning") else "failure"
        self.count = self.count + 1 if result == self.last else 1
        self.last = result
        new = self.count >= self.spec[result + "Threshold"] and result != self.value
        self.value = result if new else self.value
        return new


class Container:
    def __init__(self, spec, role):
        self.name, self.spec, self.role = spec["name"], spec, role  # role: init, sidecar, main
        self.state, self.cid, self.code, self.starts, self.again = "none", "", 0, 0, None  # again: the instant of its next start
        self.probes, self.stopping = {}, None
        self.told = {"started": False, "ready": False}

    def passed(self, kind):
        return kind not in self.probes or self.probes[kind].value == "success"

    def status(self):
        started = self.state == "running" and self.passed("startup")
        return {"started": started, "ready": started and self.passed("readiness")}

    def over(self):
        """It has ended, and will not come back."""
        return self.state == "exited" and self.again is None


class Stop:
    """A container that is being stopped: until when, and the hook that it waits for."""

    def __init__(self, until, reason):
        self.until, self.reason, self.hook = until, reason, None


class Pod:
    """One case.  Its methods are those of naive_kubelet.Kubelet that an adapter needs."""

    def __init__(self, request):
        spec = request["pod"]["spec"]
        self.policy, self.grace = spec.get("restartPolicy", "Always"), spec.get("terminationGracePeriodSeconds", 30)
        self.gated = bool(spec.get("readinessGates"))
        self.before = [Container(c, "sidecar" if c.get("restartPolicy") == "Always" else "init") for c in spec.get("initContainers", [])]
        self.mains = [Container(c, "main") for c in spec["containers"]]
        self.now, self.number, self.ends, self.phase, self.ready, self.gone = 0, 0, None, "Pending", None, False
        self.effects, self.syncs = [], 0
        self.settle()

    def containers(self):
        return self.before + self.mains

    def emit(self, e, container=None, **fields):
        self.effects.append({"e": e, **({"container": container.name} if container else {}), **fields})

    def take_effects(self):
        effects, self.effects = self.effects, []
        return effects

    def read_back(self):
        """Nothing comes back from an API server here."""

    # ---- time

    def due(self, c, probe):
        """When it is asked next, or None."""
        done = probe.waiting or (probe.kind != "readiness" and (c.stopping or probe.value == "failure"))
        waits = probe.value == "success" if probe.kind == "startup" else not c.passed("startup")
        return None if c.state != "running" or done or waits else probe.due

    def next_due(self):
        found = [self.due(c, p) for c in self.containers() for p in c.probes.values()]
        found += [c.again for c in self.containers()] + [c.stopping.until for c in self.containers() if c.stopping and c.stopping.hook]
        return min((instant for instant in found if instant is not None), default=None)

    def advance(self, to, events):
        for event in events:
            self.happens(event)
        self.settle()
        while not self.effects and self.now < to:
            due = self.next_due()
            self.now = to if due is None else min(to, max(due, self.now))
            self.settle()

    def happens(self, event):
        c = next((c for c in self.containers() if c.name == event.get("container")), None)
        if event["e"] == "running":
            c.state, c.cid, c.stopping = "running", event["cid"], None
            c.probes = {kind: Probe(kind, c.spec[kind + "Probe"], self.now) for kind in FIRST if kind + "Probe" in c.spec}
        elif event["e"] == "exited" and c.cid == event["cid"]:
            self.exited(c, event["code"])
        elif event["e"] == "delete":
            self.ends = self.now + event["grace"] * 1000
        elif event["e"] == "answer":
            self.answered(event)

    def answered(self, event):
        for c in self.containers():
            if c.stopping and c.stopping.hook == event["n"]:
                self.kill(c)
            for probe in c.probes.values():
                if probe.waiting == event["n"] and probe.answered(event["result"]):
                    self.emit("result", c, cid=c.cid, type=probe.kind, value=probe.value)
                    if probe.kind != "readiness" and probe.value == "failure" and not c.stopping:
                        grace = probe.spec.get("terminationGracePeriodSeconds", self.grace)
                        self.stop(c, self.now + grace * 1000, probe.kind)

    # ---- what follows

    def stop(self, c, until, reason=""):
        if c.state != "running" or c.stopping:
            return
        c.stopping = Stop(until, reason)
        if "preStop" in c.spec.get("lifecycle", {}):
            self.number += 1
            c.stopping.hook = self.number
            self.emit("hook", c, n=self.number, cid=c.cid, type="preStop")
        else:
            self.kill(c)

    def kill(self, c):
        c.stopping.hook = None
        left = -((self.now - c.stopping.until) // 1000)  # whole seconds; one that has begun counts
        grace = left if left > 0 else LEAST if "preStop" in c.spec.get("lifecycle", {}) else 0
        self.emit("kill", c, cid=c.cid, grace=grace, message="", reason=c.stopping.reason)

    def exited(self, c, code):
        ends = self.ends is not None or self.ended()
        c.state, c.code, c.stopping = "exited", code, None
        again = c.role == "sidecar" or self.policy == "Always" or self.policy == "OnFailure" and code != 0
        if c.role == "init" and code == 0:
            again = False
        if again and not ends:
            c.again = self.now + BACK_OFF[min(c.starts - 1, len(BACK_OFF) - 1)]

    def start(self, c):
        self.emit("start", c, restart=c.starts)
        c.state, c.again, c.starts = "starting", None, c.starts + 1

    def start_what_may(self):
        """The next of those that run before the others; when all of these have, the others."""
        for c in self.before:
            if c.state == "none":
                return self.start(c)
            if not (c.status()["started"] if c.role == "sidecar" else c.over()):
                return None
        for c in self.mains:
            if c.state == "none":
                self.start(c)
        return None

    def end(self):
        """What serves the others is stopped after them, the last one first."""
        for c in self.containers():
            c.again = None
        for c in self.mains + self.before[::-1]:
            if c.state in ("running", "starting"):
                self.stop(c, self.ends)
                if c.role == "sidecar":
                    return
            if c is self.mains[-1] and any(m.state in ("running", "starting") for m in self.mains):
                return
        if not self.gone:
            self.gone = True
            self.emit("apidelete")

    def ended(self):
        """The phase of a pod that has ended for good, or None."""
        if any(c.role == "init" and c.over() and c.code for c in self.before):
            return "Failed"
        if all(c.over() for c in self.mains):
            return "Failed" if any(c.code for c in self.mains) else "Succeeded"
        return None

    def settle(self):
        for c in self.containers():
            if c.again is not None and c.again <= self.now:
                self.start(c)
            if c.stopping and c.stopping.hook and c.stopping.until <= self.now:
                self.kill(c)
            for probe in c.probes.values():
                due = self.due(c, probe)
                if due is not None and due <= self.now:
                    self.ask(c, probe)
        if self.ends is not None:
            self.end()
        elif self.ended():
            for c in self.before[::-1]:
                c.again = None
                self.stop(c, self.now + self.grace * 1000)
        else:
            self.start_what_may()
        self.tell()

    def ask(self, c, probe):
        self.number += 1
        probe.waiting = self.number
        period = probe.spec["periodSeconds"] * 1000
        probe.due += ((self.now - probe.due) // period + 1) * period
        self.emit("probe", c, n=self.number, cid=c.cid, type=probe.kind, attempt=1)

    def tell(self):
        for c in self.containers():
            for field, value in c.status().items():
                if c.told[field] != value:
                    c.told[field] = value
                    self.emit(field, c, value=value)
        ready = not self.gated and all(c.status()["ready"] for c in self.containers() if c.role != "init")
        if self.ready != ready:
            self.ready = ready
            self.emit("condition", type="Ready", status=str(ready), reason="", message="")
        over = self.ended()
        phase = over if over and all(c.state != "running" for c in self.before) else \
            "Running" if any(c.cid for c in self.mains) else "Pending"
        if self.phase != phase and not (self.ends and phase != "Running"):
            self.phase = phase
            self.emit("phase", value=phase)


def stored(pod):
    """The pod with what stands for a field that is left out."""
    spec = {"restartPolicy": "Always", "terminationGracePeriodSeconds": 30, **pod["spec"]}
    for group in ("initContainers", "containers"):
        spec.update({group: [{name: with_defaults(value) if name.endswith("Probe") else value for name, value in c.items()}
                             for c in spec[group]]} if group in spec else {})
    return {**pod, "spec": spec}


def with_defaults(probe):
    whole = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3, **probe}
    for handler, defaults in {"httpGet": {"path": "/", "scheme": "HTTP"}, "grpc": {"service": ""}}.items():
        whole.update({handler: {**defaults, **probe[handler]}} if handler in probe else {})
    return whole


OBSERVES = ["probe", "result", "started", "ready", "hook", "kill", "start", "phase", "condition", "apidelete"]


class Adapter(naive.Adapter):
    name = "naive-pod"

    def op_hello(self, request):
        return {**super().op_hello(request), "layers": ["pod"], "features": ["sidecars", "own-grid"], "observes": OBSERVES, "tier": "contract"}

    def make(self, request):
        if request.get("layer") != "pod":
            raise naive.Unsupported(f"layer {request.get('layer')}")
        return Pod(request)


if __name__ == "__main__":
    try:
        naive.serve(Adapter())
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(0)
