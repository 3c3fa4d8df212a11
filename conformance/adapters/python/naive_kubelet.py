"""The kubelet around the workers of the naive implementation: manager, results, status, syncs."""
import datetime
import math
import random

from naive_worker import FAILURE, SUCCESS, Worker, bare, is_sidecar, matching_rule

EPOCH_MS = int(datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc).timestamp() * 1000)
SYNCS_PER_INSTANT = 20


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


# ---------------------------------------------------------------- the kubelet

class Kubelet:
    """One open case: the prober manager, the results, and the sync of section 2.1."""

    DEFAULT_ON = {"StartupProbe": 18, "ExecProbeTimeout": 20, "GRPCContainerProbe": 24, "ContainerRestartRules": 35,
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
            and all(self.status.inits[name].ready for name in sidecars) \
            and self.readiness_gates_hold()
        started = {name: seen.started for group in (self.status.containers, self.status.inits)
                   for name, seen in group.items()}
        self.api_next = (ready, started)

    def readiness_gates_hold(self):
        said = {c.get("type"): c.get("status")
                for c in (self.pod.get("status") or {}).get("conditions") or []}
        return all(said.get(gate.get("conditionType")) == "True"
                   for gate in self.pod["spec"].get("readinessGates") or [])

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
                    Worker(self, self.pod, container, kind, init))

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
            woken = (outcome == "sync" and event["e"] != "clock") or (woken and event["e"] != "nostatus")
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
