"""An adapter to copy: the probes of a prober that is no kubelet, in virtual time. Put yours in place of Probe and Container."""
import json
import sys

HELLO = {"protocol": 1, "name": "starter", "version": "1", "language": "Python", "k8s": ["1.37"], "tier": "contract",
         "layers": ["probe"], "features": [], "observes": ["probe", "result", "started", "ready"], "clock": "virtual"}
FIRST = {"startup": "unknown", "readiness": "failure", "liveness": "success"}  # before anything is known


class Probe:
    """One probe of one instance: when it is due, and what its answers come to."""

    def __init__(self, kind, spec, start):
        self.kind, self.spec, self.result = kind, spec, FIRST[kind]
        self.due = start + spec.get("initialDelaySeconds", 0) * 1000
        self.last, self.count, self.waits = None, 0, False

    def take(self, answer):
        """An error counts for nothing; else so many equal answers in a row are a result."""
        self.waits = False
        if answer == "error":
            return
        answer = "success" if answer in ("success", "warning") else "failure"
        self.count = self.count + 1 if answer == self.last else 1
        self.last = answer
        if self.count >= self.spec[answer + "Threshold"]:
            self.result = answer


class Container:
    """A container, and the probes of the instance that runs."""

    def __init__(self, spec):
        self.name, self.spec, self.cid, self.probes, self.told = spec["name"], spec, None, {}, {"started": False, "ready": False}

    def runs(self, cid, start):
        self.cid = cid
        self.probes = {kind: Probe(kind, self.spec[kind + "Probe"], start) for kind in FIRST if kind + "Probe" in self.spec}

    def passes(self, kind):
        return self.cid is not None and (kind not in self.probes or self.probes[kind].result == "success")

    def active(self):
        """The startup probe until it has succeeded, the others from then on."""
        return [probe for kind, probe in self.probes.items() if (kind == "startup") != self.passes("startup")]


class Case:
    """What the runner opens: one pod, from 0 ms on."""

    def __init__(self, pod):
        self.now, self.effects, self.asked, self.number = 0, [], {}, 0
        self.containers = {spec["name"]: Container(spec) for spec in pod["spec"]["containers"]}

    def tell(self, kind, container, **more):
        self.effects.append({"e": kind, "container": container.name, **more})

    def send_result(self, container, probe):
        self.tell("result", container, cid=container.cid, type=probe.kind, value=probe.result)

    def happens(self, event):
        container = self.containers.get(event.get("container"))
        if event["e"] == "running":
            container.runs(event["cid"], self.now)
            for probe in container.probes.values():
                self.send_result(container, probe)
        elif event["e"] in ("exited", "waiting"):
            container.cid, container.probes = None, {}
        elif event["e"] == "answer":
            container, probe = self.asked.pop(event["n"])
            before = probe.result
            probe.take(event["result"])
            if probe.result != before and probe in container.probes.values():
                self.send_result(container, probe)

    def send_status(self):
        for container in self.containers.values():
            status = {"started": container.passes("startup")}
            status["ready"] = status["started"] and container.passes("readiness")
            for field, value in status.items():
                if value != container.told[field]:
                    self.tell(field, container, value=value)
            container.told = status

    def ask(self, container, probe):
        self.number += 1
        self.asked[self.number], probe.waits = (container, probe), True
        probe.due = self.now + probe.spec["periodSeconds"] * 1000
        self.tell("probe", container, n=self.number, cid=container.cid, type=probe.kind, attempt=1)

    def advance(self, to, events):
        """The events happen now; then time goes on to `to`, or to the first instant at which there is something to tell."""
        for event in events:
            self.happens(event)
        self.send_status()
        while not self.effects:
            idle = [(c, p) for c in self.containers.values() for p in c.active() if not p.waits]
            for container, probe in idle:
                if probe.due <= self.now:
                    self.ask(container, probe)
            if self.effects or self.now == to:
                break
            self.now = min([to] + [probe.due for _, probe in idle])
        effects, self.effects = self.effects, []
        return {"at": self.now, "effects": effects}


case = None
for line in sys.stdin:
    request = json.loads(line)
    reply = {"id": request["id"]}
    if request["op"] == "hello":
        reply["ok"] = HELLO
    elif request["op"] == "open":
        case = Case(request["pod"])
        reply["ok"] = case.advance(0, [])
    elif request["op"] == "advance":
        reply["ok"] = case.advance(request["to"], request["events"])
    elif request["op"] == "close":
        reply["ok"] = {}
    else:
        reply["error"] = {"code": "unsupported", "message": request["op"]}
    print(json.dumps(reply), flush=True)
