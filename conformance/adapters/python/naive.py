#!/usr/bin/env python3
"""A second, deliberately naive implementation of the layers `port` and `probe`.

It is written from the rules (P-011 ... P-170 and section 2.1 of protocol.md), not from the C engine,
and has another shape on purpose: every worker is a coroutine that reads from top to bottom as the
kubelet's own loop does, waits where that one blocks, and is resumed by a scheduler that looks at all
of them every time.  No wheel, no table of switches, no tricks: it is here to be believed, and to
disagree with the engine when one of the two is wrong.

    naive.py [--look before|after]

--look says whether a worker that a sync triggers looks at the status before that sync has stored
it or after (P-179: the kubelet does either).
"""
import datetime
import json
import math
import random
import re
import sys

MINORS = range(15, 38)
EPOCH_MS = int(datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc).timestamp() * 1000)
ATTEMPTS = 3
SYNCS_PER_INSTANT = 20
LAST_PATCH = 99  # a bare minor is its last patch release
OUTPUT_BYTES = 10240
SUCCESS, FAILURE, UNKNOWN = "success", "failure", "unknown"
SELECT, ANSWER, SLEEP = "select", "answer", "sleep"

FEATURES = ["clock", "gates", "jitter", "manager", "nostatus", "phase", "restart", "sidecars",
            "termination", "unknown", "warning"]


class Unsupported(Exception):
    """A request that this adapter does not play."""


class BadRequest(Exception):
    """A request that nobody could play."""


# ---------------------------------------------------------------- small things that Go does

def go_quote(text):
    """strconv.Quote: printable Unicode stays, the rest is escaped (E-009)."""
    named = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
             "\v": "\\v", '"': '\\"', "\\": "\\\\"}
    out = []
    for char in text:
        code = ord(char)
        if char in named:
            out.append(named[char])
        elif code < 0x20 or code == 0x7f:
            out.append("\\x%02x" % code)
        elif 0xd800 <= code <= 0xdfff:
            out.append("\ufffd")
        elif char == " " or (char.isprintable() and char != "\u00a0"):
            out.append(char)
        else:
            out.append("\\u%04x" % code if code < 0x10000 else "\\U%08x" % code)
    return '"' + "".join(out) + '"'


def go_duration(seconds):
    """time.Duration.String of whole seconds: 1s, 1m30s, 1h0m0s."""
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    text = f"{seconds % 60}s"
    if seconds >= 60:
        text = f"{minutes}m{text}"
    if seconds >= 3600:
        text = f"{hours}h{text}"
    return sign + text


def expand(text, variables):
    """$(NAME) from literal env values; $$ is $; what is unknown stays as it is (P-077)."""
    out, i = [], 0
    while i < len(text):
        if text[i] != "$" or i + 1 == len(text):
            out.append(text[i])
            i += 1
        elif text[i + 1] == "$":
            out.append("$")
            i += 2
        elif text[i + 1] == "(" and ")" in text[i + 2:]:
            end = text.index(")", i + 2)
            name = text[i + 2:end]
            out.append(variables.get(name, f"$({name})"))
            i = end + 1
        else:
            out.append(text[i:i + 2])
            i += 2
    return "".join(out)


def cut(text, limit):
    return text.encode("utf-8", "surrogatepass")[:limit].decode("utf-8", "replace")


def atoi(text):
    """strconv.Atoi on 64 bits: (number, None) or (None, what is wrong)."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits:
        return None, "invalid syntax"
    value = 0
    for char in digits:  # overflow is noticed before a bad character that follows (E-008)
        if char not in "0123456789":
            return None, "invalid syntax"
        if value > (2**64 - 1) // 10 or value * 10 + int(char) > 2**64 - 1:
            return None, "value out of range"
        value = value * 10 + int(char)
    value = -value if text[0] == "-" else value
    if not -2**63 <= value < 2**63:
        return None, "value out of range"
    return value, None


def resolve_port(port, ports, minor):
    """P-132 to P-134, E-003 to E-009; 1.37 has no Atoi fallback."""
    if isinstance(port, str):
        named = [p for p in ports if p.get("name", "") == port]
        if named:
            number = named[0].get("containerPort", 0)
        elif minor >= 37:
            return {"invalid": f"port {go_quote(port)} not found"}
        else:
            number, wrong = atoi(port)
            if wrong:
                return {"invalid": f"strconv.Atoi: parsing {go_quote(port)}: {wrong}"}
    else:
        number = port
    if not 1 <= number <= 65535:
        return {"invalid": f"invalid port number: {number}"}
    return {"port": number}


# ---------------------------------------------------------------- what a pod and its status say

class Instance:
    """What the runtime knows of one container of the pod."""

    def __init__(self):
        self.cid = ""
        self.state = "waiting"
        self.started_ms = None  # wall clock
        self.code = 0


class Seen:
    """One containerStatus of a stored pod status."""

    def __init__(self, instance):
        self.cid = instance.cid
        self.state = instance.state
        self.code = instance.code
        self.started_ms = instance.started_ms
        self.started = None
        self.ready = False


class Status:
    def __init__(self, phase, containers, inits):
        self.phase, self.containers, self.inits = phase, containers, inits

    def normalize(self):
        """The status cache keeps whole seconds (P-040)."""
        for group in (self.containers, self.inits):
            for seen in group.values():
                if seen.started_ms is not None:
                    seen.started_ms = seen.started_ms // 1000 * 1000

    def find(self, name, with_inits):
        """P-029: by name, with an id; init containers from 1.28."""
        for group in (self.containers, self.inits if with_inits else {}):
            if name in group and group[name].cid:
                return group[name]
        return None

    def with_id(self, cid):
        for group in (self.containers, self.inits):
            for seen in group.values():
                if seen.cid == cid:
                    return seen
        return None


def wall_ms(text):
    return int(datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1000)


def is_sidecar(container):
    return container.get("restartPolicy") == "Always"


# ---------------------------------------------------------------- one worker

class Worker:
    FIELD = {"startup": "startupProbe", "readiness": "readinessProbe", "liveness": "livenessProbe"}

    def __init__(self, kubelet, pod, container, kind, init):
        self.k = kubelet
        self.container, self.name, self.kind, self.init = container, container["name"], kind, init
        self.spec = container[self.FIELD[kind]]
        self.period_ms = self.spec.get("periodSeconds", 10) * 1000
        self.policy = pod["spec"].get("restartPolicy") or "Always"
        self.deleted = bool(pod.get("metadata", {}).get("deletionTimestamp"))
        self.exec = "exec" in self.spec and self.spec["exec"] is not None
        self.cid = ""
        self.on_hold = False
        self.last, self.run = None, 0
        self.stop = self.trigger = self.tick = False  # channels with room for one
        self.next_tick = None
        self.waits = None
        self.until = None
        self.answer = None
        self.body = self.live()

    # -- the loop of worker.go run

    def live(self):
        jitter = self.k.jitter_of(self)
        if jitter is not None:  # deaf to stop and trigger (P-016)
            self.until = self.k.now + jitter
            yield SLEEP
        self.next_tick = self.k.now + self.period_ms  # P-017
        while (yield from self.turn()):
            yield SELECT
            if self.stop + self.trigger + self.tick > 1:
                self.k.note_race()  # Go's select draws lots (P-020)
            if self.stop:
                break
            if self.trigger:
                self.trigger = False
                if self.k.minor >= 32:  # P-022
                    self.next_tick = self.k.now + self.period_ms
                    self.tick = False
            else:
                self.tick = False
        if self.cid:  # P-024
            self.k.results.pop((self.kind, self.cid), None)
        self.k.forget(self)

    def runnable(self):
        """Has what the worker waits for come?"""
        now = self.k.now
        if self.next_tick is not None and self.next_tick <= now:
            self.tick = True
            self.next_tick += (now - self.next_tick) // self.period_ms * self.period_ms
            self.next_tick += self.period_ms
        if self.waits == SELECT:
            return self.stop or self.trigger or self.tick
        if self.waits == SLEEP:
            return self.until <= now and not self.k.booting
        if self.waits == ANSWER:
            return self.answer is not None
        return True

    def due(self):
        if self.waits == SLEEP:
            return self.until
        return self.next_tick if self.waits == SELECT else None

    # -- one turn: worker.go doProbe, guard by guard

    def turn(self):
        k, status = self.k, self.k.status
        if status is None:  # P-027
            return True
        if status.phase in ("Failed", "Succeeded"):  # P-028
            return False
        seen = status.find(self.name, k.minor >= 28)
        if seen is None:  # P-029
            return True
        if self.cid != seen.cid:
            self.adopt(seen)
        if self.on_hold:  # P-033
            return True
        if seen.state != "running":  # P-034
            self.set(FAILURE)
            return self.outlives(seen)
        if self.deleted and self.kind != "readiness" and k.minor >= 18:  # P-038
            self.set(SUCCESS)
            return False
        if k.seconds_since(seen.started_ms) < self.spec.get("initialDelaySeconds", 0):  # P-039
            return True
        if k.minor >= 16 and bool(seen.started) == (self.kind == "startup"):  # P-041
            return True
        result = yield from self.probe()
        if result is not None:  # P-044
            self.count(result)
        return True

    def adopt(self, seen):
        """P-030, P-031: another instance than last time."""
        k = self.k
        if self.cid:
            k.results.pop((self.kind, self.cid), None)
        self.cid = seen.cid
        if k.inherits and self.kind == "startup" and self.init and seen.started:
            self.set(SUCCESS)
        if not (k.inherits and k.older_than_kubelet(seen)):
            self.set(self.first_result())
        self.on_hold = False

    def first_result(self):
        """P-012."""
        return {"liveness": SUCCESS, "readiness": FAILURE,
                "startup": UNKNOWN if self.k.minor >= 17 else FAILURE}[self.kind]

    def outlives(self, seen):
        """P-035 to P-037: does the worker go on when its container has ended?"""
        k, exited, always = self.k, seen.state == "exited", is_sidecar(self.container)
        if k.gate("ContainerRestartRules"):
            if k.minor == 34:
                return exited or may_ever_restart(self.container, self.policy)
            return not exited or k.restarts(self.container, self.policy, seen.code) \
                or k.all_restarting()
        return not exited or self.policy != "Never" or (self.init and always and k.minor >= 33)

    def set(self, value):
        """P-138, P-139: the cache notifies when the key is new or the value another."""
        key = (self.kind, self.cid)
        if self.k.results.get(key) != value:
            self.k.results[key] = value
            self.k.updates.append((self.kind, self.cid, value))
            self.k.emit("result", container=self.name, cid=bare(self.cid), type=self.kind,
                        value=value)

    def count(self, result):
        """P-046 to P-049."""
        self.run = self.run + 1 if self.last == result else 1
        self.last = result
        threshold = "failureThreshold" if result == FAILURE else "successThreshold"
        if self.run < self.spec.get(threshold, 3 if result == FAILURE else 1):
            return
        self.set(result)
        if self.holds(result):
            self.on_hold, self.run = True, 0

    def holds(self, result):
        """P-048."""
        if self.kind == "liveness":
            return result == FAILURE
        return self.kind == "startup" and (result == FAILURE or self.k.minor >= 32)

    # -- prober.go: attempts and events

    def probe(self):
        """SUCCESS, FAILURE, or None for an error that is thrown away (P-063)."""
        error = None
        for attempt in range(1, ATTEMPTS + 1):
            number = self.k.new_number()
            self.k.emit("probe", n=number, container=self.name, cid=bare(self.cid), type=self.kind,
                        attempt=attempt)
            if self.k.cancelled and self.exec:  # K-14
                error = "context canceled"
                continue
            self.k.asked[number] = self
            self.answer = None
            yield ANSWER
            verdict, text = self.understand(self.answer)
            self.answer = None
            if verdict != "error":
                return self.tell(verdict, text)
            error = text
        state = "errored and resulted in unknown state" if self.k.minor >= 33 else "errored"
        self.k.event(self, "Unhealthy", f"{state}: {error}")
        return None

    def understand(self, answer):
        """What the handler makes of the world's answer: (verdict, text)."""
        result, text = answer["result"], answer.get("output") or ""
        if result == "timeout":
            return self.timed_out(text)
        if self.exec and result != "error" and self.k.minor >= 16:
            text = cut(text, OUTPUT_BYTES)  # P-080
        return result, text

    def timed_out(self, text):
        """P-083 to P-086."""
        k = self.k
        if k.minor <= 19:
            return "error", text
        variables = {}
        for var in self.container.get("env") or []:
            variables[var["name"]] = var.get("value", "") if not var.get("valueFrom") else ""
        argv = (self.spec.get("exec") or {}).get("command") or []
        argv = go_quote(" ".join(expand(word, variables) for word in argv))
        if k.minor >= 31:
            limit = go_duration(self.spec.get("timeoutSeconds", 1))
            text = f"command timed out: {argv} timed out after {limit}"
        else:
            text = f"command {argv} timed out"
        if not k.gate("ExecProbeTimeout"):
            return "error", text
        return FAILURE, text if k.minor >= 24 else ""

    def tell(self, verdict, text):
        """P-065 to P-071."""
        if verdict == "success":
            return SUCCESS
        if verdict == "warning":
            self.k.event(self, "ProbeWarning", f"warning: {text}")
            return SUCCESS
        if verdict == "failure" or self.k.minor <= 32:
            self.k.event(self, "Unhealthy", f"failed: {text}")
        return FAILURE


def bare(cid):
    return cid.split("://", 1)[-1]


def may_ever_restart(container, pod_policy):
    """1.34 with ContainerRestartRules: is there any exit that it comes back from?"""
    if container.get("restartPolicy"):
        rules = container.get("restartPolicyRules") or []
        return any(r.get("action") == "Restart" for r in rules) \
            or container["restartPolicy"] != "Never"
    return pod_policy != "Never"


def matching_rule(container, code):
    """The first rule whose exit codes fit (S-125)."""
    for rule in container.get("restartPolicyRules") or []:
        codes = rule.get("exitCodes")
        if codes:
            inside = code in (codes.get("values") or [])
            if inside == (codes.get("operator") == "In"):
                return rule.get("action")
    return None


# ---------------------------------------------------------------- the kubelet around the workers

class Kubelet:
    """One open case: the prober manager, the results, and the sync of section 2.1."""

    worker_class = Worker
    DEFAULT_ON = {"StartupProbe": 18, "ExecProbeTimeout": 20, "ContainerRestartRules": 35,
                  "RestartAllContainersOnContainerExits": 36}

    def __init__(self, version, gates, seed, request, look="before"):
        (self.minor, self.patch), self.gates, self.look = version, gates, look
        self.pod = request["pod"]
        self.now = 0
        self.wall = EPOCH_MS + (request.get("wall") or 0)
        self.random = random.Random(seed)
        self.race = None      # first instant at which the kubelet itself draws lots
        self.unjudged = None  # first instant with more syncs than are judged
        self.effects = []
        self.number = 0
        self.reported = {}
        self.ending = False   # AddPod is not called any more
        self.reborn_at = None
        self.runtime = {c["name"]: Instance() for c in self.regulars() + self.inits()}
        self.read_api_status()
        self.boot(-(request.get("uptime") or 0), request.get("jitter"))
        self.settle()

    def boot(self, started, jitter):
        """A fresh kubelet process takes up the pod."""
        self.read_back()
        self.manager_start = started
        self.manager_start_wall = self.wall + started
        self.jitter = jitter or "none"
        self.inherits = self.minor >= 35 and not self.gate("ChangeContainerStatusOnKubeletRestart")
        self.booting = self.cancelled = False
        self.workers = []  # in the order of AddPod
        self.results, self.updates, self.asked = {}, [], {}
        self.status = None
        self.hidden = False
        self.referenced = set()
        self.syncs = 0
        if not self.adds_each_sync():
            self.add_pod()
            self.booting = True  # who draws a delay sleeps, if only for a moment
            self.run_workers()
            self.booting = False
        self.sync()

    # -- reading the pod

    def regulars(self):
        return self.pod["spec"].get("containers") or []

    def inits(self):
        return self.pod["spec"].get("initContainers") or []

    def read_api_status(self):
        status = self.pod.get("status") or {}
        self.phase = status.get("phase") or "Running"
        self.api_ready = any(c.get("type") == "Ready" and c.get("status") == "True"
                             for c in status.get("conditions") or [])
        self.api_started, self.api_next = {}, None
        for entry in (status.get("containerStatuses") or []) \
                + (status.get("initContainerStatuses") or []):
            self.api_started[entry["name"]] = entry.get("started")
            instance = self.runtime.get(entry["name"])
            if instance is None:
                continue
            instance.cid = entry.get("containerID") or ""
            state = entry.get("state") or {}
            if "running" in state:
                instance.state = "running"
                began = (state["running"] or {}).get("startedAt")
                instance.started_ms = wall_ms(began) if began else None
            elif "terminated" in state:
                instance.state = "exited"
                instance.code = (state["terminated"] or {}).get("exitCode", 0)

    def gate(self, name):
        since = self.DEFAULT_ON.get(name)
        return self.gates.get(name, since is not None and self.minor >= since)

    # -- time

    def seconds_since(self, started_ms):
        """Whole seconds, cut towards zero (P-039)."""
        if started_ms is None:
            return 2**31
        return int((self.wall + self.now - started_ms) / 1000)

    def older_than_kubelet(self, seen):
        return seen.state == "running" and seen.started_ms is not None \
            and seen.started_ms < self.manager_start_wall - 10000

    def jitter_of(self, worker):
        """P-014, P-015: the delay that is drawn, or None where none is."""
        if self.minor >= 21 and (self.jitter == "none" or
                                 worker.period_ms <= self.now - self.manager_start):
            return None
        if self.jitter == "none":
            return 0
        if self.jitter == "free":
            fraction = self.random.random()
        else:
            fraction = self.jitter.get(f"{worker.name}/{worker.kind}", 0)
        return math.floor(fraction * worker.period_ms)

    def next_due(self):
        dues = [w.due() for w in self.workers] + [self.reborn_at]
        return min((d for d in dues if d is not None), default=None)

    # -- telling

    def emit(self, e, **fields):
        self.effects.append({"e": e, **fields})

    def event(self, worker, reason, text):
        if self.minor <= 17 and worker.cid not in self.referenced:  # P-074
            return
        kind = worker.kind.capitalize()
        self.emit("event", container=worker.name, type="Warning", reason=reason,
                  message=f"{kind} probe {text}")

    def report(self):
        """Every change of the stored status."""
        for group in (self.status.containers, self.status.inits):
            for name, seen in group.items():
                fields = [("ready", seen.ready)]
                if self.minor >= 16:
                    fields.append(("started", bool(seen.started)))
                for field, value in fields:
                    if self.reported.get((name, field), False) != value:
                        self.reported[name, field] = value
                        self.emit(field, container=name, value=value)
        # What is stored now comes back from the API server after this instant.
        sidecars = [c["name"] for c in self.inits() if is_sidecar(c)]
        ready = self.status.phase not in ("Failed", "Succeeded") \
            and all(seen.ready for seen in self.status.containers.values()) \
            and all(self.status.inits[name].ready for name in sidecars)
        started = {name: seen.started for group in (self.status.containers, self.status.inits)
                   for name, seen in group.items()}
        self.api_next = (ready, started)

    def read_back(self):
        """The API's copy of the pod is what was stored at earlier instants."""
        if self.api_next:
            (self.api_ready, self.api_started), self.api_next = self.api_next, None

    def new_number(self):
        self.number += 1
        return self.number

    def note_race(self):
        if self.race is None:
            self.race = self.now

    # -- prober manager

    def worker(self, name, kind):
        for worker in self.workers:
            if worker.name == name and worker.kind == kind:
                return worker
        return None

    def forget(self, worker):
        self.workers.remove(worker)

    def adds_each_sync(self):
        """P-153: before, it was called once, before the first sync."""
        began = {22: 11, 23: 8, 24: 2}
        return self.minor >= 22 and self.patch >= began.get(self.minor, 0)

    def add_pod(self):
        """P-150 to P-152."""
        containers = [(c, False) for c in self.regulars()]
        if self.minor >= 28:
            containers += [(c, True) for c in self.inits() if is_sidecar(c)]
        for container, init in containers:
            for kind in ("startup", "readiness", "liveness"):
                if not container.get(Worker.FIELD[kind]):
                    continue
                if kind == "startup" and self.minor < 20 and not self.gate("StartupProbe"):
                    continue
                if self.worker(container["name"], kind):
                    if self.minor >= 37:
                        break
                    return
                self.workers.append(
                    self.worker_class(self, self.pod, container, kind, init))

    def stop_workers(self, names, kinds):
        for worker in self.workers:
            if worker.name in names and worker.kind in kinds:
                worker.stop = True

    def stop_liveness_and_startup(self):
        if self.adds_each_sync():  # P-155 came with P-153
            self.stop_workers([c["name"] for c in self.regulars()], ("liveness", "startup"))

    def is_started(self, seen, name):
        """P-161."""
        if seen.state != "running":
            return False
        if self.minor < 20 and not self.gate("StartupProbe"):
            return True
        result = self.results.get(("startup", seen.cid))
        if result is not None:
            return result == SUCCESS
        if self.inherits and seen.started:
            return True
        return self.worker(name, "startup") is None

    def is_ready(self, seen, container):
        """P-163 to P-165."""
        if seen.state != "running":
            return False
        result = self.results.get(("readiness", seen.cid))
        if result == SUCCESS:
            return True
        if result is not None and self.minor <= 21:
            return False
        worker = self.worker(container["name"], "readiness")
        ready = worker is None
        if worker and self.minor >= 21:
            worker.trigger = True
        if self.inherits and self.older_than_kubelet(seen):
            ready = ready or result is None
            if container.get("readinessProbe") and not self.api_ready:
                ready = False
        return ready

    def update_pod_status(self, status):
        for container in self.regulars():
            seen = status.containers[container["name"]]
            if self.minor >= 16:
                seen.started = self.is_started(seen, container["name"])
            if seen.started or self.minor <= 17:  # P-162
                seen.ready = self.is_ready(seen, container)
        for container in self.inits():
            seen = status.inits[container["name"]]
            if self.minor >= 28:
                seen.started = self.is_started(seen, container["name"])
            if self.minor >= 28 and is_sidecar(container):  # P-167
                if seen.started:
                    seen.ready = self.is_ready(seen, container)
            else:  # P-166
                seen.ready = seen.state == "exited" and seen.code == 0

    # -- the sync of section 2.1

    def build_status(self):
        old = self.api_started
        if self.status:
            old = {n: seen.started for n, seen in (self.status.containers | self.status.inits).items()}
        groups = []
        for containers in (self.regulars(), self.inits()):
            group = {}
            for container in containers:
                name = container["name"]
                seen = group[name] = Seen(self.runtime[name])
                if self.inherits and seen.state == "running":
                    seen.started = old.get(name)  # by name (K-10)
            groups.append(group)
        return Status(self.phase, *groups)

    def sync(self):
        if self.syncs >= SYNCS_PER_INSTANT:  # P-154
            if self.unjudged is None:
                self.unjudged = self.now
            return
        self.syncs += 1
        status = self.build_status()
        self.update_pod_status(status)
        if self.look == "before" and self.minor >= 21:  # nobody is triggered before
            self.run_workers()
        if not self.hidden:
            status.normalize()
            self.status = status
            self.report()
        if not self.ending and self.all_over():
            self.ending = True
        if self.adds_each_sync() and not self.ending:
            self.add_pod()

    def all_over(self):
        policy = self.pod["spec"].get("restartPolicy") or "Always"
        ends = [self.runtime[c["name"]] for c in self.regulars()]
        return all(e.state == "exited" and
                   (policy == "Never" or policy == "OnFailure" and e.code == 0) for e in ends)

    def restarts(self, container, pod_policy, code):
        """P-037: would this exit be followed by another start?"""
        policy = pod_policy
        if container.get("restartPolicy"):
            policy = container["restartPolicy"]
            action = matching_rule(container, code)
            if action == "Restart" or (action == "RestartAllContainers" and
                                       self.gate("RestartAllContainersOnContainerExits")):
                return True
        return policy == "Always" or (policy == "OnFailure" and code != 0)

    def all_restarting(self):
        """An exit that a rule answers by restarting every container of the pod."""
        if not self.gate("RestartAllContainersOnContainerExits"):
            return False
        for container in self.inits() + self.regulars():
            seen = self.status.containers.get(container["name"]) \
                or self.status.inits.get(container["name"])
            if seen and seen.state == "exited" \
                    and matching_rule(container, seen.code) == "RestartAllContainers":
                return True
        return False

    def take_updates(self):
        """P-143: what the results say to the status; does it need a sync?"""
        updates, self.updates, needed = self.updates, [], False
        for kind, cid, value in updates:
            if kind == "liveness":
                needed = needed or value == FAILURE
                continue
            needed = needed or self.minor >= 21
            seen = self.status.with_id(cid) if self.status else None
            if seen is None:
                continue
            if kind == "readiness":
                seen.ready = value == SUCCESS
            else:
                seen.started = value == SUCCESS
            self.report()
        return needed

    def run_workers(self):
        """Every worker runs until it waits."""
        ran = True
        while ran:
            ran = False
            for worker in list(self.workers):
                while worker.waits != "end" and worker.runnable():
                    ran = True
                    try:
                        worker.waits = next(worker.body)
                    except StopIteration:
                        worker.waits = "end"

    def settle(self):
        while True:
            self.run_workers()
            if not self.updates:
                return
            if self.take_updates():
                self.sync()

    # -- the world

    def apply(self, events):
        changed = stopping = woken = False
        for event in events:
            handler = getattr(self, "on_" + event["e"].replace("-", "_"), None)
            if handler is None:
                continue
            outcome = handler(event)
            changed = changed or outcome == "sync"
            woken = outcome == "sync" or (woken and event["e"] != "nostatus")
            stopping = stopping or event["e"] == "delete"
        if self.reborn_at is not None:
            return
        self.run_workers()
        if changed:
            self.hidden = self.hidden and not woken
            self.sync()
        if stopping:
            self.run_workers()
            if self.minor >= 22 and not self.adds_each_sync():  # P-157: all of them at once
                self.on_remove(None)
            self.stop_liveness_and_startup()

    def cancel(self):
        """K-14: the exec probes of these releases hang on the context of the pod's sync."""
        self.cancelled = True
        for number, worker in list(self.asked.items()):
            if worker.exec:
                del self.asked[number]
                worker.answer = {"result": "error", "output": "context canceled"}

    def on_answer(self, event):
        worker = self.asked.pop(event["n"], None)
        if worker is not None:
            worker.answer = event

    def on_running(self, event):
        instance = self.runtime.get(event["container"])
        if instance is None:
            return None
        instance.cid, instance.state = "type://" + event["cid"], "running"
        instance.started_ms = self.wall + self.now
        if event.get("startedAt") is not None:
            instance.started_ms = self.wall + event["startedAt"]
        self.referenced.add(instance.cid)
        return "sync"

    def on_exited(self, event):
        instance = self.runtime.get(event["container"])
        if instance is not None and bare(instance.cid) == event.get("cid", bare(instance.cid)):
            instance.state, instance.code = "exited", event.get("code") or 0
        return "sync"

    def on_waiting(self, event):
        instance = self.runtime.get(event["container"])
        if instance is not None:
            instance.state = "waiting"
        return "sync"

    def on_sync(self, _event):
        return "sync"

    def on_phase(self, event):
        self.phase = event["value"]
        return "sync"

    def on_nostatus(self, _event):
        self.status = None
        self.hidden = True

    def on_delete(self, _event):
        metadata = dict(self.pod.get("metadata") or {}, deletionTimestamp="now")
        self.pod = dict(self.pod, metadata=metadata)  # a worker made from now on sees it
        self.ending = True
        if self.minor == 35 or (self.minor == 36 and self.patch >= 3):
            self.cancel()
        return "sync"

    def on_remove(self, _event):
        names = [c["name"] for c in self.regulars() + self.inits()]
        self.stop_workers(names, tuple(Worker.FIELD))

    def on_cleanup(self, event):
        if not event.get("keep"):
            self.on_remove(event)

    def on_stop(self, _event):
        self.stop_liveness_and_startup()

    def on_addpod(self, _event):
        self.add_pod()

    def on_update(self, event):
        deleted = (self.pod.get("metadata") or {}).get("deletionTimestamp")
        self.pod = event["pod"]
        if deleted:
            self.pod = dict(self.pod, metadata=dict(self.pod["metadata"], deletionTimestamp=deleted))
        # Of its status only what the prober does not look at changes.
        for container in self.regulars() + self.inits():
            self.runtime.setdefault(container["name"], Instance())
        return "sync"

    def on_clock(self, event):
        self.wall += event["by"]
        return "sync"

    def on_kubelet_restart(self, event):
        self.workers, self.asked, self.updates, self.results = [], {}, [], {}
        self.status = None
        self.reborn_at = self.now + (event.get("down") or 0)
        self.reborn_jitter = event.get("jitter")

    def advance(self, to, events):
        self.apply(events)
        self.settle()
        while True:
            if self.reborn_at is not None and self.reborn_at <= self.now:
                self.reborn_at = None
                self.boot(self.now, self.reborn_jitter)
                self.settle()
            if self.effects or self.now >= to:
                break
            due = self.next_due()
            self.now = to if due is None else min(due, to)
            self.read_back()
            self.syncs = 0
            self.settle()

    def take_effects(self):
        effects, self.effects = self.effects, []
        return effects


# ---------------------------------------------------------------- the adapter

class Adapter:
    name = "naive"
    url = "conformance/adapters/README.md"
    kubelet_class = Kubelet

    def __init__(self, look="before"):
        self.look = look
        self.minor, self.patch, self.gates, self.seed = MINORS[-1], LAST_PATCH, {}, 0
        self.case = None

    def op_hello(self, request):
        if request.get("protocol") != 1:
            raise Unsupported("only version 1 of the protocol is known")
        match = re.fullmatch(r"1\.(\d+)(?:\.(\d+))?", str(request.get("k8s", "1.37")))
        if not match or int(match[1]) not in MINORS:
            raise Unsupported(f"no Kubernetes {request.get('k8s')} here")
        self.close_if_open()
        self.minor, self.patch = int(match[1]), int(match[2] or LAST_PATCH)
        self.gates = request.get("gates") or {}
        self.seed = request.get("seed") or 0
        return {"protocol": 1, "name": self.name, "version": "1", "language": "Python",
                "url": self.url,
                "k8s": [f"1.{m}" for m in MINORS], "layers": ["port", "probe"],
                "features": FEATURES,
                "observes": ["probe", "result", "started", "ready", "event"], "clock": "virtual"}

    def close_if_open(self):
        if self.case is not None:
            raise BadRequest("a case is open")

    def op_port(self, request):
        return resolve_port(request["port"], request.get("ports") or [], self.minor)

    def op_open(self, request):
        self.close_if_open()
        if request.get("layer") != "probe":
            raise Unsupported(f"layer {request.get('layer')}")
        for container in (request["pod"]["spec"].get("containers") or []) \
                + (request["pod"]["spec"].get("initContainers") or []):
            for field in Worker.FIELD.values():
                if (container.get(field) or {}).get("periodSeconds", 10) <= 0:
                    raise BadRequest(f"{container['name']}: periodSeconds must be positive")
        version = (self.minor, self.patch)
        self.case = self.kubelet_class(version, self.gates, self.seed, request, self.look)
        return {"at": 0, "effects": self.case.take_effects()}

    def op_advance(self, request):
        if self.case is None:
            raise BadRequest("no case is open")
        if request["to"] < self.case.now:
            raise BadRequest(f"time would go back from {self.case.now} to {request['to']}")
        self.case.advance(request["to"], request.get("events") or [])
        return {"at": self.case.now, "effects": self.case.take_effects()}

    def op_close(self, _request):
        self.case = None
        return {}

    def reply(self, request):
        """One request, as an object, to one reply."""
        op = getattr(self, "op_" + str(request.get("op")), None)
        try:
            if op is None:
                raise Unsupported(f"op {request.get('op')}")
            return {"id": request.get("id"), "ok": op(request)}
        except Unsupported as why:
            return self.refusal(request, "unsupported", why)
        except BadRequest as why:
            return self.refusal(request, "bad-request", why)
        except (KeyError, TypeError, ValueError, AttributeError) as why:
            return self.refusal(request, "bad-request", f"{type(why).__name__}: {why}")

    @staticmethod
    def refusal(request, code, why):
        return {"id": request.get("id"), "error": {"code": code, "message": str(why)}}


def serve(adapter):
    """JSON Lines on stdin and stdout until the runner hangs up."""
    for line in sys.stdin.buffer:
        if line.strip():
            try:
                request = json.loads(line)
            except ValueError as why:
                request = None
                reply = Adapter.refusal({}, "bad-request", f"not JSON: {why}")
            if request is not None:
                reply = adapter.reply(request) if isinstance(request, dict) \
                    else Adapter.refusal({}, "bad-request", "not an object")
            sys.stdout.write(json.dumps(reply, separators=(",", ":")) + "\n")
            sys.stdout.flush()


def main(argv):
    look = "before"
    if len(argv) == 2 and argv[0] == "--look" and argv[1] in ("before", "after"):
        look = argv[1]
    elif argv:
        print(__doc__ if argv in (["-h"], ["--help"]) else "usage: naive.py [--look before|after]",
              file=sys.stdout if argv in (["-h"], ["--help"]) else sys.stderr)
        return 0 if argv in (["-h"], ["--help"]) else 2
    serve(Adapter(look))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (BrokenPipeError, KeyboardInterrupt):
        sys.exit(0)
