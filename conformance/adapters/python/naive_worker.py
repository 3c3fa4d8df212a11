"""One worker of the naive implementation: from doProbe to a result, top to bottom."""
from naive_go import cut, expand, go_duration, go_quote

ATTEMPTS = 3
OUTPUT_BYTES = 10240
SUCCESS, FAILURE, UNKNOWN = "success", "failure", "unknown"
SELECT, ANSWER, SLEEP = "select", "answer", "sleep"

# Where a change came with a patch release: the first one, by rule and minor.
BEGAN = {"P-031": {35: 4}, "P-036": {33: 6, 34: 2}, "P-038": {18: 18, 19: 10, 20: 6}}
K12 = [(18, 18), (19, 10), (20, 6), (21, 0)]


def is_sidecar(container):
    return container.get("restartPolicy") == "Always"


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
        if jitter is not None:  # hears neither stop nor trigger (P-016)
            self.until = self.k.now + jitter
            yield SLEEP
        self.next_tick = self.k.now + self.period_ms  # P-017
        while (yield from self.do_probe()):
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

    # -- worker.go doProbe, guard by guard

    def do_probe(self):
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
        if self.deleted and self.kind != "readiness" and self.has("P-038", 18):
            self.set(SUCCESS)
            return False
        if k.seconds_since(seen.started_ms) < self.spec.get("initialDelaySeconds", 0):  # P-039
            return True
        if k.minor >= 16 and bool(seen.started) == (self.kind == "startup"):  # P-041, P-042
            return not (seen.started and (k.minor, k.patch) in K12)
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
        seeded = self.init and self.kind == "startup" and self.has("P-031", 35)
        if k.inherits and seeded and seen.started:
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
        return not exited or self.policy != "Never" or \
            (self.init and always and self.has("P-036", 33))

    def has(self, rule, minor):
        return self.k.minor >= minor and self.k.patch >= BEGAN[rule].get(self.k.minor, 0)

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
        error, verdict = self.missing_handler(), "error"
        for attempt in range(1, ATTEMPTS + 1) if error is None else []:
            number = self.k.new_number()
            self.k.emit("probe", n=number, container=self.name, cid=bare(self.cid), type=self.kind,
                        attempt=attempt)
            if self.k.cancelled and self.exec:  # K-14
                error, verdict = "context canceled", "error"
                continue
            self.k.asked[number] = self
            self.answer = None
            yield ANSWER
            verdict, text = self.understand(self.answer)
            self.answer = None
            if verdict not in ("error", "broken"):
                return self.tell(verdict, text)
            error = text
        result = "failure" if verdict == "broken" else "unknown"
        state = f"errored and resulted in {result} state" if self.k.minor >= 33 else "errored"
        self.k.event(self, "Unhealthy", f"{state}: {error}")
        return None

    def missing_handler(self):
        """P-062; of grpc while its gate is off, too (P-125)."""
        if any(self.spec.get(kind) for kind in ("exec", "httpGet", "tcpSocket")):
            return None
        if self.spec.get("grpc") and self.k.gate("GRPCContainerProbe"):
            return None
        pod = {"name": "", "namespace": "", "uid": "", **self.k.pod.get("metadata", {})}
        missing = "missing" if self.k.minor >= 16 else "Missing"
        return missing + " probe handler for {name}_{namespace}({uid}):".format(**pod) + self.name

    def understand(self, answer):
        """What the handler makes of the world's answer: (verdict, text)."""
        result, text = answer["result"], answer.get("output") or ""
        if result == "timeout":
            return self.timed_out(text)
        if self.exec and result not in ("error", "broken") and self.k.minor >= 16:
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
        return FAILURE, text if k.minor >= 23 else ""

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
