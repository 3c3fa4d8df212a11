"""Random scenarios of the layer `probe`: what a pod is, what the world does to it, and the runner's half.

A scenario is plain data (JSON): it can be printed, shrunk, written to a file and played again.

    seed     where it came from
    k8s      "1.36"
    gates    as in hello
    open     the rest of the open request: pod, uptime, wall, jitter
    world    [{"at": ms, "events": [...]}]  in order; each entry is one request
    answers  {"app/liveness": [[result, latency_ms, output], ...]}  by attempt, the last one repeats
    react    {"exit": ms, "start": ms} or null: what follows a liveness or startup failure
    until    ms
"""
import datetime
import heapq
import random

from integers import api_int

EPOCH = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
KINDS = {"startupProbe": "startup", "readinessProbe": "readiness", "livenessProbe": "liveness"}
ROUNDS = 500


class Restless(Exception):
    """The implementation does not come to rest at one instant."""



# ---------------------------------------------------------------- the runner's half

def play(scenario, ask):
    """Drive one implementation through a scenario: [(at, [effects])].  ask(request) gives `ok`."""
    ask({"op": "hello", "protocol": 1, "k8s": scenario["k8s"], "gates": scenario["gates"],
         "seed": scenario["seed"]})
    reply = ask(dict(scenario["open"], op="open", layer="probe"))
    try:
        return World(scenario, ask).run(reply)
    finally:
        ask({"op": "close"})


class World:
    """Answers what is asked when it is due, and lets the scenario's events happen."""

    def __init__(self, scenario, ask):
        self.scenario, self.ask = scenario, ask
        self.answers = []  # heap of (due, key, n, event)
        self.asked = {}
        # What the scenario prescribes comes before what follows from effects; that has an order of
        # its own, for the order of same-instant effects means nothing.
        self.world = [(w["at"], (i,), w["events"]) for i, w in enumerate(scenario["world"])]
        heapq.heapify(self.world)
        self.hurt = set()
        self.to, self.rounds = None, 0
        self.alive = {}  # container: the cid that runs
        status = scenario["open"]["pod"].get("status") or {}
        for entry in status.get("containerStatuses", []) + status.get("initContainerStatuses", []):
            self.alive[entry["name"]] = entry["containerID"].split("://")[1]
        self.trace = []

    def run(self, reply):
        until = self.scenario["until"]
        self.note(reply)
        while True:
            now = reply["at"]
            if self.trace and self.trace[-1][0] == now and reply["effects"]:
                reply = self.step(now, [])  # until it is quiet
                continue
            due = min(self.answers[0][0] if self.answers else until,
                      self.world[0][0] if self.world else until, until)
            if due > now:
                reply = self.step(due, [])
            elif self.answers and self.answers[0][0] <= now:
                events = []
                while self.answers and self.answers[0][0] <= now:
                    events.append(heapq.heappop(self.answers)[3])
                reply = self.step(now, events)
            elif now < until:
                events = [e for e in heapq.heappop(self.world)[2] if self.can_be(e)]
                if events:
                    reply = self.step(now, events)
            else:
                return self.trace

    def can_be(self, event):
        """Only what runs exits, and only what does not run starts."""
        name = event.get("container")
        if event["e"] == "exited":
            return self.alive.get(name) == event["cid"] and self.alive.pop(name)
        if event["e"] == "running":
            return name not in self.alive and self.alive.setdefault(name, event["cid"])
        return event["e"] != "waiting" or name not in self.alive

    def step(self, to, events):
        self.rounds = self.rounds + 1 if to == self.to else 0
        self.to = to
        if self.rounds > ROUNDS:
            raise Restless(f"no end of effects at {to} ms")
        reply = self.ask({"op": "advance", "to": to, "events": events})
        self.note(reply)
        return reply

    def note(self, reply):
        at = reply["at"]
        if not reply["effects"]:
            return
        if self.trace and self.trace[-1][0] == at:
            self.trace[-1][1].extend(reply["effects"])
        else:
            self.trace.append((at, list(reply["effects"])))
        for effect in reply["effects"]:
            if effect["e"] == "probe":
                self.schedule(at, effect)
            elif effect["e"] == "result" and effect["value"] == "failure" \
                    and effect["type"] != "readiness":
                self.hurt_by(at, effect)

    def schedule(self, at, effect):
        key = f"{effect['container']}/{effect['type']}"
        turn = self.asked[key] = self.asked.get(key, -1) + 1
        script = self.scenario["answers"].get(key) or [["success", 0, ""]]
        result, latency, output = script[min(turn, len(script) - 1)]
        event = {"e": "answer", "n": effect["n"], "result": result, "output": output}
        if result in ("success", "failure"):
            event["code"] = 0 if result == "success" else 1
        heapq.heappush(self.answers, (at + latency, key, effect["n"], event))

    def hurt_by(self, at, effect):
        """A failed liveness or startup probe: the world kills the instance and starts another."""
        react, cid = self.scenario["react"], effect["cid"]
        if not react or cid in self.hurt:
            return
        self.hurt.add(cid)
        name = effect["container"]
        self.later(at + react["exit"], [{"e": "exited", "container": name, "cid": cid, "code": 143,
                                         "reason": "Error"}])
        if react["start"] is not None:
            self.later(at + react["exit"] + react["start"],
                       [{"e": "running", "container": name, "cid": cid + "r", "restarts": 1}])

    def later(self, at, events):
        order = (len(self.scenario["world"]), events[0]["container"], events[0]["cid"])
        heapq.heappush(self.world, (at, order, events))


# ---------------------------------------------------------------- the generator

class Generator:
    """One scenario from one seed."""

    def __init__(self, seed, minors, exec_only=False, without=()):
        self.seed, self.exec_only, self.without = seed, exec_only, set(without)
        self.r = random.Random(seed)
        self.minor = self.r.choice(minors)
        self.cids = 0

    def maybe(self, chance, feature=None):
        return self.r.random() < chance and feature not in self.without

    def scenario(self):
        pod, names = self.pod()
        until = self.r.choice([15000, 30000, 45000, 60000, 90000])
        already = self.already(pod, names) if self.maybe(0.25, "already") else {}
        uptime = self.uptime()
        return {
            "seed": self.seed, "k8s": f"1.{self.minor}", "gates": self.gates(),
            "open": {"pod": pod, "uptime": uptime, "wall": self.r.choice([0, 0, 0, 1, 300, 999]),
                     **self.jitter(pod, self.minor <= 20 or uptime < 10000)},
            "world": self.world(pod, names, already, until),
            "answers": self.answers(pod), "react": self.react(), "until": until}

    def uptime(self):
        uptime = self.r.choice([120500, 120500, 0, 700, 4000, 9999, 15000, 25000])
        return 120500 if "young" in self.without else uptime

    def react(self):
        if self.maybe(0.4):
            return None
        return {"exit": self.r.choice([0, 20, 1000, 2345, 5000]),
                "start": self.r.choice([0, 0, 7, 500, 3000, None])}

    # -- the pod

    def pod(self):
        regular = [self.container(n) for n in ["app", "web", "db"][:self.r.choice([1, 1, 1, 2, 3])]]
        inits = []
        if self.minor >= 28 and self.maybe(0.3, "sidecars"):
            inits = [dict(self.container(f"side{i}"), restartPolicy="Always")
                     for i in range(self.r.choice([1, 1, 2]))]
        if self.maybe(0.15, "init-containers"):
            inits.insert(0, {"name": "init", "image": "i"})
        if self.minor >= 34 and self.maybe(0.15, "gates"):
            self.restart_rules(self.r.choice(regular))
        spec = {"containers": regular,
                "restartPolicy": self.r.choice(["Always", "Always", "OnFailure", "Never"])}
        if inits:
            spec["initContainers"] = inits
        pod = {"metadata": {"name": "p", "namespace": "default", "uid": "u1",
                            "creationTimestamp": "2024-01-01T00:00:00Z"}, "spec": spec,
               "status": {"phase": "Running"}}
        if self.maybe(0.03, "deleted"):
            pod["metadata"].update(deletionTimestamp="2024-01-01T00:00:30Z",
                                   deletionGracePeriodSeconds=30)
        return pod, [c["name"] for c in regular + inits]

    def container(self, name):
        container = {"name": name, "image": name}
        if self.maybe(0.1):
            container["env"] = [{"name": "A", "value": "alpha"},
                                {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "x"}}}]
        for field, chance in (("startupProbe", 0.35), ("readinessProbe", 0.65),
                              ("livenessProbe", 0.6)):
            if field == "startupProbe" and self.minor < 16:
                continue
            if self.maybe(chance):
                container[field] = self.probe(field)
        return container

    def probe(self, field):
        pick = self.r.choice
        loose = self.maybe(0.05)
        most = 2 ** 31 - 1
        success = api_int(self.r, [1, 1, 1, 2, 3], most) if field == "readinessProbe" or loose else 1
        probe = {"periodSeconds": api_int(self.r, [1, 2, 3, 5, 7, 10, 10], most),
                 "timeoutSeconds": api_int(self.r, [1, 1, 2, 70], most),
                 "initialDelaySeconds": api_int(self.r, [0, 0, 0, 0, 1, 3, 5, 12], most), "successThreshold": success,
                 "failureThreshold": api_int(self.r, [1, 1, 2, 3], most)}
        if loose:
            probe["failureThreshold"] = pick([0, -1, 4])
        if self.exec_only or self.maybe(0.8):
            command = pick([["true"], ["cat", "/tmp/x"], ["sh", "-c", 'echo "$(A)" $(B) $$(C) $(D)']])
            probe["exec"] = {"command": command}
        else:
            probe["httpGet"] = {"path": "/", "port": 80, "scheme": "HTTP"}
        return probe

    def restart_rules(self, container):
        container["restartPolicy"] = self.r.choice(["Never", "OnFailure", "Always"])
        if self.maybe(0.7):
            actions = ["Restart"] + (["RestartAllContainers"] if self.minor >= 35 else [])
            container["restartPolicyRules"] = [
                {"action": self.r.choice(actions),
                 "exitCodes": {"operator": self.r.choice(["In", "NotIn"]), "values": [0, 1, 137]}}]

    def gates(self):
        gates = {}
        if "gates" in self.without:
            return gates
        if self.minor in (16, 17) and self.maybe(0.6):
            gates["StartupProbe"] = True
        if self.minor in (18, 19) and self.maybe(0.1):
            gates["StartupProbe"] = False
        if 20 <= self.minor <= 34 and self.maybe(0.1):
            gates["ExecProbeTimeout"] = False
        if self.minor == 34 and self.maybe(0.25):
            gates["ContainerRestartRules"] = True
        if self.minor >= 35 and self.maybe(0.15):
            gates["ChangeContainerStatusOnKubeletRestart"] = True
        if self.minor >= 35 and self.maybe(0.1):
            gates["ContainerRestartRules"] = False
            if self.minor >= 36:
                gates["RestartAllContainersOnContainerExits"] = False
        return gates

    def jitter(self, pod, drawn):
        """drawn: some worker will draw a delay; without ties each then has a grid of its own."""
        apart = "ties" in self.without and drawn
        if not apart and not self.maybe(0.25, "jitter"):
            return {}
        fractions, taken = {}, set()
        spec = pod["spec"]
        for container in spec["containers"] + spec.get("initContainers", []):
            for field, kind in KINDS.items():
                if field not in container or not (apart or self.maybe(0.7)):
                    continue
                period = container[field]["periodSeconds"] * 1000
                delay = self.r.randrange(1, period)
                while delay % 1000 in taken:
                    delay = self.r.randrange(1, period)
                taken.add(delay % 1000)
                fractions[f"{container['name']}/{kind}"] = (delay + 0.5) / period
        return {"jitter": fractions}

    # -- the world

    def cid(self):
        self.cids += 1
        return f"c{self.cids}"

    def already(self, pod, names):
        """Containers that ran before the case began, as the API's copy of the status has them."""
        running, lists = {}, {"containerStatuses": [], "initContainerStatuses": []}
        regular = [c["name"] for c in pod["spec"]["containers"]]
        for name in names:
            if name == "init" or not self.maybe(0.8):
                continue
            cid, age = self.cid(), self.r.choice([500, 3000, 12000, 100000, 3600000])
            began = (EPOCH - datetime.timedelta(milliseconds=age)).strftime("%Y-%m-%dT%H:%M:%SZ")
            entry = {"name": name, "containerID": "type://" + cid, "restartCount": 0,
                     "state": {"running": {"startedAt": began}}, "ready": self.maybe(0.6)}
            if self.maybe(0.7):
                entry["started"] = self.maybe(0.7)
            lists["containerStatuses" if name in regular else "initContainerStatuses"].append(entry)
            running[name] = cid
        pod["status"].update({k: v for k, v in lists.items() if v})
        if self.maybe(0.7):
            pod["status"]["conditions"] = [{"type": "Ready", "status": self.r.choice(["True", "False"])}]
        return running

    def moment(self, low, high):
        """Ticks fall on whole seconds: now and then hit one, now and then miss it by a hair."""
        at = self.r.randint(low, max(low, high))
        return self.r.choice([at, at, at // 1000 * 1000, at // 500 * 500, at // 1000 * 1000 + 1])

    def world(self, pod, names, already, until):
        entries = []
        for name in names:
            entries += self.life(name, already.get(name), until)
        for _ in range(self.r.choice([0, 0, 1, 2])):
            entries.append((self.moment(0, until), [{"e": "sync"}]))
        if self.maybe(0.04, "nostatus"):
            entries.append((self.moment(0, until), [{"e": "nostatus"}]))
        if self.maybe(0.03, "phase"):
            entries.append((self.moment(until // 2, until),
                            [{"e": "phase", "value": self.r.choice(["Failed", "Succeeded"])}]))
        if self.maybe(0.03, "update"):
            entries.append((self.moment(0, until), [{"e": "update", "pod": pod}]))
        if self.maybe(0.06, "manager"):
            for _ in range(self.r.choice([1, 2, 3])):
                event = self.r.choice([{"e": "stop"}, {"e": "addpod"}, {"e": "cleanup", "keep": True},
                                       {"e": "cleanup"}])
                entries.append((self.moment(0, until), [event]))
        if self.maybe(0.15, "termination"):
            entries += self.termination(until)
        elif self.maybe(0.12, "restart"):
            entries += self.kubelet_restart(pod, until)
        elif self.maybe(0.04, "clock"):
            by = self.r.choice([-20000, -1500, -1, 1, 2500, 60000])
            entries.append((self.moment(0, until), [{"e": "clock", "by": by}]))
        entries.sort(key=lambda entry: entry[0])
        return [{"at": at, "events": events} for at, events in entries if at < until]

    def life(self, name, cid, until):
        """One container's comings and goings."""
        entries, at = [], self.moment(0, 6000) if self.maybe(0.7) else 0
        restarts = 0
        while at < until:
            if cid is None:
                if self.maybe(0.1):
                    entries.append((at, [{"e": "waiting", "container": name, "reason": "X"}]))
                    at = self.moment(at, at + 4000)
                cid = self.cid()
                entries.append((at, [self.running(name, cid, restarts)]))
            if not self.maybe(0.6):
                break
            at = self.moment(at + 1, max(at + 1, at + self.r.choice([3000, 12000, 40000])))
            gone = [{"e": "exited", "container": name, "cid": cid, "reason": "Error",
                     "code": self.r.choice([0, 0, 1, 137])}]
            restarts += 1
            if self.maybe(0.3):  # seen by one sync together (K-10)
                cid = self.cid()
                gone.append(self.running(name, cid, restarts))
            else:
                cid = None
            entries.append((at, gone))
            at = self.moment(at, at + self.r.choice([0, 2000, 10000]))
            if not self.maybe(0.8):
                break
        return entries

    def running(self, name, cid, restarts):
        event = {"e": "running", "container": name, "cid": cid, "restarts": restarts}
        if self.maybe(0.04, "startedAt"):
            event["startedAt"] = self.r.choice([-5000, -100000, 500, 20000])
        return event

    def termination(self, until):
        at = self.moment(2000, until)
        entries = [(at, [{"e": "delete", "grace": 30}])]
        if self.maybe(0.8):
            at = self.moment(at, at + 20000)
            entries.append((at, [{"e": "remove"}]))
            if self.maybe(0.5):
                entries.append((self.moment(at, at + 5000), [{"e": "cleanup"}]))
        return entries

    def kubelet_restart(self, pod, until):
        event = {"e": "kubelet-restart", "down": self.r.choice([0, 1, 800, 3000, 15000])}
        event.update(self.jitter(pod, True))
        return [(self.moment(3000, until), [event])]

    # -- the answers

    def answers(self, pod):
        scripts = {}
        spec = pod["spec"]
        for container in spec["containers"] + spec.get("initContainers", []):
            for field, kind in KINDS.items():
                if field in container:
                    scripts[f"{container['name']}/{kind}"] = self.script(container[field])
        if "ties" in self.without:  # no two answers at one instant
            for i, script in enumerate(scripts.values()):
                for answer in script:
                    answer[1] += i + 1
        return scripts

    def script(self, probe):
        """Runs of like answers: thresholds are crossed, and now and then only nearly."""
        script, is_exec = [], "exec" in probe
        slow = self.maybe(0.12)
        while len(script) < 40 and (not script or self.maybe(0.9)):
            result = self.r.choice(["success"] * 4 + ["failure"] * 4 + self.rare(is_exec))
            for _ in range(self.r.choice([1, 1, 2, 3, 4])):
                latency = self.r.choice([0, 0, 1, 10, 50, 300, 999])
                if slow:
                    latency = self.r.choice([1000, 2500, probe["periodSeconds"] * 1000,
                                             probe["periodSeconds"] * 1000 + 1, 12000])
                script.append([result, latency, self.r.choice(["", "x", "no such file\n"])])
        return script

    def rare(self, is_exec):
        kinds = ["error"] if "error" not in self.without else []
        if is_exec:
            return kinds + (["timeout"] if "timeout" not in self.without else [])
        return kinds + [kind for kind in ("warning", "unknown", "broken") if kind not in self.without]
