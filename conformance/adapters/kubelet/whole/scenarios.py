#!/usr/bin/env python3
"""scenarios.py [NAME...]: the recorded scenarios of layer `pod`, as JSON, one a line.

Each has a name, the rules it shows, since/until (minor), the minors on which it is a race of the
kubelet, and what play.py plays.
"""
import json
import sys

SCENARIOS = []


def probe(period=10, fail=3, success=1, delay=0, timeout=1, grace=None):
    p = {"exec": {"command": ["check"]}, "periodSeconds": period, "timeoutSeconds": timeout,
         "failureThreshold": fail, "successThreshold": success}
    if delay:
        p["initialDelaySeconds"] = delay
    if grace is not None:
        p["terminationGracePeriodSeconds"] = grace
    return p


def container(name="app", image=None, policy=None, pre=False, post=False, pre_sleep=None, **probes):
    c = {"name": name, "image": image or "registry.example/%s:1" % name,
         "imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/termination-log",
         "terminationMessagePolicy": "File", "resources": {}}
    for kind, p in probes.items():
        c[kind + "Probe"] = p
    hook = {"exec": {"command": ["hook"]}}
    life = {}
    if pre:
        life["preStop"] = hook
    if pre_sleep is not None:
        life["preStop"] = {"sleep": {"seconds": pre_sleep}}
    if post:
        life["postStart"] = hook
    if life:
        c["lifecycle"] = life
    if policy:
        c["restartPolicy"] = policy
    return c


def pod(*containers, init=(), restart="Always", grace=30):
    spec = {"containers": list(containers), "restartPolicy": restart, "dnsPolicy": "ClusterFirst",
            "terminationGracePeriodSeconds": grace, "schedulerName": "default-scheduler",
            "enableServiceLinks": True, "securityContext": {}}
    if init:
        spec["initContainers"] = list(init)
    return {"apiVersion": "v1", "kind": "Pod", "spec": spec, "status": {"phase": "Pending"},
            "metadata": {"name": "p", "namespace": "default", "uid": "uid-1",
                         "creationTimestamp": "2024-01-01T00:00:00Z"}}


def add(name, rules, pod, until, since=33, until_minor=None, **rest):
    """Units: until in seconds here, milliseconds in the file."""
    s = {"name": name, "rules": rules.split(), "since": since, "uptime": 120500,
         "until": int(until * 1000), "pod": pod}
    if until_minor:
        s["untilMinor"] = until_minor
    s.update(rest)
    SCENARIOS.append(s)


def fails(n_good, n_bad=3, text="bad", then="S"):
    """Answers: n_good successes, n_bad failures, then the last for good."""
    return ["S"] * n_good + [{"result": "failure", "output": text}] * n_bad + ([then] if then else [])


def self_exit(ms, code=0, n=40):
    return {"app": [{"ms": ms, "code": code}] * n}


BAD = {"result": "failure", "output": "bad"}
live = probe()

# ---- liveness kills -----------------------------------------------------------------------------
add("liveness-kill", "S-008 S-200 S-233", pod(container(liveness=live)), 80,
    probes={"app/liveness": fails(2)}, kills={"app": [{"ms": 5000, "code": 143}]})
add("liveness-kill-uptime-whole", "S-002", pod(container(liveness=live)), 80, uptime=120000,
    probes={"app/liveness": fails(2)}, kills={"app": [{"ms": 5003, "code": 143}]})
add("liveness-kill-uptime-odd", "S-002", pod(container(liveness=live)), 80, uptime=120237,
    probes={"app/liveness": fails(2)}, kills={"app": [{"ms": 5003, "code": 143}]})
add("liveness-kill-at-relist", "S-020", pod(container(liveness=probe(2, 1))), 40,
    probes={"app/liveness": ["S", BAD, "S"]}, kills={"app": [{"ms": 71, "code": 143}]})
add("liveness-kill-hard", "S-219", pod(container(liveness=live), grace=7), 80,
    probes={"app/liveness": fails(1)}, kills={"app": [{"ms": 60000, "code": 137}]})
add("liveness-kill-exit-0", "S-200", pod(container(liveness=live)), 80,
    probes={"app/liveness": fails(1)}, kills={"app": [{"ms": 1003, "code": 0}]})
add("liveness-every-time", "S-252 S-253", pod(container(liveness=probe(15, 3))), 1800,
    probes={"app/liveness": [BAD]}, kills={"app": [{"ms": 30000, "code": 137}]})
add("liveness-every-time-fast-kill", "S-252 S-253", pod(container(liveness=probe(5, 7))), 1000,
    probes={"app/liveness": [BAD]}, kills={"app": [{"ms": 2003, "code": 143}]})
add("liveness-onfailure-exit-0", "S-254", pod(container(liveness=probe(2, 1)), restart="OnFailure"), 60,
    probes={"app/liveness": [BAD]}, kills={"app": [{"ms": 1070, "code": 0}]})
add("liveness-never", "S-330 S-332", pod(container(liveness=live), restart="Never"), 90,
    probes={"app/liveness": fails(2)}, kills={"app": [{"ms": 5070, "code": 143}]})
add("liveness-never-exit-0", "S-330", pod(container(liveness=live), restart="Never"), 90,
    probes={"app/liveness": fails(2)}, kills={"app": [{"ms": 5070, "code": 0}]})
add("liveness-kill-fails", "S-203", pod(container(liveness=probe(10, 1))), 90,
    probes={"app/liveness": ["S", BAD]}, kills={"app": [{"fail": "no such luck", "ms": 0}]})
add("liveness-kill-fails-once", "S-203", pod(container(liveness=probe(10, 1))), 90, requeueJitter=0.5,
    probes={"app/liveness": ["S", BAD]},
    kills={"app": [{"fail": "rpc error: code = Unknown desc = busy", "ms": 0}, {"ms": 1003, "code": 143}]})
add("liveness-kill-not-found", "S-204", pod(container(liveness=probe(10, 1))), 60,
    probes={"app/liveness": ["S", BAD, "S"]},
    kills={"app": [{"fail": "rpc error: code = NotFound desc = container not found", "ms": 0}]})
add("liveness-self-exit-during-kill", "S-200", pod(container(liveness=probe(10, 1))), 60,
    probes={"app/liveness": ["S", BAD, "S"]}, kills={"app": [{"ms": 9000, "code": 143}]},
    exits={"app": [{"ms": 22130, "code": 3}]})
add("liveness-grace-of-probe", "S-210", pod(container(liveness=probe(10, 1, grace=3))), 60,
    probes={"app/liveness": ["S", BAD, "S"]}, kills={"app": [{"ms": 60000, "code": 137}]})
add("liveness-grace-of-probe-1", "S-217", pod(container(liveness=probe(10, 1, grace=1))), 60,
    probes={"app/liveness": ["S", BAD, "S"]}, kills={"app": [{"ms": 60000, "code": 137}]})
add("liveness-grace-of-probe-longer", "S-210", pod(container(liveness=probe(10, 1, grace=20)), grace=5), 80,
    probes={"app/liveness": ["S", BAD, "S"]}, kills={"app": [{"ms": 60000, "code": 137}]})
add("liveness-initial-delay", "P-040", pod(container(liveness=probe(3, 1, delay=10))), 40, wall=700,
    starts={"app": [1503]}, probes={"app/liveness": ["S", BAD, "S"]}, kills={"app": [{"ms": 503, "code": 143}]})
add("liveness-errors", "P-080", pod(container(liveness=probe(10, 2))), 70,
    probes={"app/liveness": [{"result": "error", "output": "rpc error: code = Unknown desc = broken"}]})
add("liveness-error-then-good", "P-080", pod(container(liveness=probe(10, 1))), 40,
    probes={"app/liveness": [{"result": "error", "output": "broken"}, "S"]})
add("liveness-timeout", "P-086", pod(container(liveness=probe(10, 2, timeout=3))), 70,
    probes={"app/liveness": ["S", {"result": "timeout", "ms": 3000}, {"result": "timeout", "ms": 3000}, "S"]},
    kills={"app": [{"ms": 503, "code": 143}]})
add("liveness-slow-answers", "P-026", pod(container(liveness=probe(2, 2, timeout=10))), 60,
    probes={"app/liveness": [{"result": "success", "ms": 4500}, {"result": "failure", "output": "bad", "ms": 3100}]},
    kills={"app": [{"ms": 503, "code": 143}]})

# ---- exits and back-off -----------------------------------------------------------------------------
add("exit-at-once", "S-251", pod(container()), 1000, exits=self_exit(0))
add("exit-after-1.13", "S-251 S-250", pod(container()), 700, exits=self_exit(1130, 1))
add("exit-after-1.13-full-jitter", "S-021", pod(container()), 400, requeueJitter=1, exits=self_exit(1130, 1))
add("exit-after-1.13-half-jitter", "S-021", pod(container()), 400, requeueJitter=0.5, exits=self_exit(1130, 1))
add("exit-after-20.13", "S-251", pod(container()), 500, exits=self_exit(20130, 2))
add("exit-runs-long", "S-245", pod(container()), 2000,
    exits={"app": [{"ms": 1130, "code": 1}] * 4 + [{"ms": 640130, "code": 1}] + [{"ms": 1130, "code": 1}] * 4})
add("exit-never-0", "S-330", pod(container(), restart="Never"), 60, exits=self_exit(20130, 0))
add("exit-never-1", "S-330", pod(container(), restart="Never"), 60, exits=self_exit(20130, 1))
add("exit-onfailure-0", "S-330", pod(container(), restart="OnFailure"), 60, exits=self_exit(20130, 0))
add("exit-onfailure-1", "S-251", pod(container(), restart="OnFailure"), 120, exits=self_exit(20130, 1))
add("exit-never-two", "S-330 P-154", pod(container(), container("two"), restart="Never"), 90,
    exits={"app": [{"ms": 20130, "code": 0}], "two": [{"ms": 50130, "code": 5}]})
add("exit-never-probed", "P-154", pod(container(readiness=probe(5)), container("two"), restart="Never"), 40,
    exits={"app": [{"ms": 12130, "code": 0}], "two": [{"ms": 20130, "code": 0}]})
add("exit-sync-frequency", "S-021", pod(container()), 400, syncFrequency=20000, exits=self_exit(1130, 1))

# ---- readiness and startup -----------------------------------------------------------------------------
add("readiness", "P-178 S-301", pod(container(readiness=probe(10))), 50)
add("readiness-threshold-2", "P-178 P-179", pod(container(readiness=probe(10, success=2))), 60)
add("readiness-late", "P-178 P-179", pod(container(readiness=probe(10))), 60,
    probes={"app/readiness": [BAD, BAD, BAD, BAD, "S"]})
add("readiness-flaps", "P-178", pod(container(readiness=probe(5, 2))), 80,
    probes={"app/readiness": ["S"] * 4 + [BAD] * 3 + ["S"] * 3 + [BAD, "S"] + [BAD] * 2 + ["S"]})
add("readiness-slow-start", "P-179", pod(container(readiness=probe(10))), 50, starts={"app": [2303]})
add("readiness-slow-answer", "P-178", pod(container(readiness=probe(4, timeout=3))), 40,
    probes={"app/readiness": [{"result": "success", "ms": 1700}]})
add("readiness-restart", "P-178 S-332", pod(container(readiness=probe(5), liveness=probe(10, 1))), 60,
    probes={"app/liveness": ["S", "S", BAD, "S"]}, kills={"app": [{"ms": 3003, "code": 143}]})
add("readiness-initial-delay", "P-040", pod(container(readiness=probe(5, delay=7))), 40)
add("startup", "P-033 P-048", pod(container(startup=probe(3, 5), liveness=live, readiness=probe(4))), 60,
    probes={"app/startup": [BAD, BAD, "S"]})
add("startup-fails", "S-210", pod(container(startup=probe(3, 2, grace=4), liveness=live), grace=20), 60,
    probes={"app/startup": [BAD]}, kills={"app": [{"ms": 60000, "code": 137}]})
add("startup-fails-never", "S-330", pod(container(startup=probe(3, 2)), restart="Never"), 40,
    probes={"app/startup": [BAD]}, kills={"app": [{"ms": 1003, "code": 143}]})
add("startup-again-after-restart", "P-058 P-034",
    pod(container(startup=probe(2, 3), liveness=probe(5, 1), readiness=probe(3))), 60,
    probes={"app/startup": [BAD, "S", BAD, "S"], "app/liveness": ["S", BAD, "S"]},
    kills={"app": [{"ms": 1003, "code": 143}]})
add("startup-container-dies", "P-034", pod(container(startup=probe(2, 3))), 60,
    probes={"app/startup": [BAD, "S", BAD, "S"]}, exits={"app": [{"ms": 11130, "code": 1}]})

# ---- hooks -----------------------------------------------------------------------------
add("prestop-liveness", "S-214", pod(container(liveness=probe(10, 1), pre=True)), 60,
    probes={"app/liveness": ["S", BAD, "S"]}, hooks={"app/preStop": [{"result": "success", "ms": 2700}]},
    kills={"app": [{"ms": 1003, "code": 143}]})
add("prestop-fails", "S-215", pod(container(liveness=probe(10, 1), pre=True)), 60,
    probes={"app/liveness": ["S", BAD, "S"]}, hooks={"app/preStop": [{"result": "failure", "output": "oops", "ms": 503}]},
    kills={"app": [{"ms": 1003, "code": 143}]})
add("prestop-too-long", "S-214 S-217", pod(container(liveness=probe(10, 1), pre=True), grace=5), 60,
    probes={"app/liveness": ["S", BAD, "S"]}, hooks={"app/preStop": [{"result": "success", "ms": 9103}]},
    kills={"app": [{"ms": 60000, "code": 137}]})
add("prestop-sleep", "S-214", pod(container(liveness=probe(10, 1), pre_sleep=3)), 60, since=34,
    probes={"app/liveness": ["S", BAD, "S"]}, kills={"app": [{"ms": 1003, "code": 143}]})
add("poststart-slow", "S-230", pod(container(liveness=live, post=True)), 60,
    hooks={"app/postStart": [{"result": "success", "ms": 25000}]})
add("poststart-fails", "S-230", pod(container(post=True)), 80,
    hooks={"app/postStart": [{"result": "failure", "output": "oops", "ms": 1503}]},
    kills={"app": [{"ms": 1003, "code": 143}]})

# ---- failures of the runtime -----------------------------------------------------------------------------
add("create-fails", "S-231", pod(container()), 60,
    starts={"app": [{"fail": "CreateContainerError", "message": "no room"}] * 2 + [0]})
add("run-fails", "S-231", pod(container()), 90,
    starts={"app": [{"fail": "RunContainerError", "message": "no such command"}] * 2 + [0]})
add("run-fails-after-kill", "S-231 S-255", pod(container(liveness=probe(10, 1))), 90,
    probes={"app/liveness": ["S", BAD, "S"]}, kills={"app": [{"ms": 1003, "code": 143}]},
    starts={"app": [0, {"fail": "RunContainerError", "message": "no such command"}, 0]})
add("sandbox-fails", "S-221", pod(container()), 60, sandbox={"create": [{"fail": "no network", "ms": 0}, 0]})
add("sandbox-slow", "S-230", pod(container()), 20, sandbox={"create": [3703]}, starts={"app": [1203]})
add("runtime-down", "S-003", pod(container(liveness=live)), 120,
    world=[{"at": 22103, "e": "runtime-down"}, {"at": 71103, "e": "runtime-up"}])
add("runtime-down-exit", "S-003 S-015", pod(container()), 60, exits={"app": [{"ms": 24130, "code": 1}]},
    world=[{"at": 22103, "e": "runtime-down"}, {"at": 31103, "e": "runtime-up"}])

# ---- several containers -----------------------------------------------------------------------------
add("two-one-fails", "S-201", pod(container(liveness=live), container("two", readiness=probe(5))), 80,
    probes={"app/liveness": fails(2)}, kills={"app": [{"ms": 5003, "code": 143}]})
add("two-one-dies-during-kill", "S-201", pod(container(liveness=live), container("two")), 80,
    probes={"app/liveness": fails(2)}, kills={"app": [{"ms": 5003, "code": 143}]},
    exits={"two": [{"ms": 52130, "code": 1}]})
add("two-never-one-fails", "S-330", pod(container(liveness=live), container("two"), restart="Never"), 120,
    probes={"app/liveness": fails(2)}, kills={"app": [{"ms": 5003, "code": 143}]},
    exits={"two": [{"ms": 80130, "code": 0}]})

# ---- init containers and sidecars -----------------------------------------------------------------------------
one, two = container("one"), container("two")
add("init-two", "S-108", pod(container(readiness=probe(5)), init=[one, two]), 40,
    exits={"one": [{"ms": 3130, "code": 0}], "two": [{"ms": 2230, "code": 0}]})
add("init-at-once", "S-108", pod(container(), init=[one]), 20, exits={"one": [{"ms": 0, "code": 0}]})
add("init-fails", "S-108 S-251", pod(container(), init=[one]), 120,
    exits={"one": [{"ms": 1130, "code": 1}] * 3 + [{"ms": 1130, "code": 0}]})
add("init-fails-never", "S-108", pod(container(), init=[one], restart="Never"), 30,
    exits={"one": [{"ms": 1130, "code": 1}]})
side = container("side", policy="Always", liveness=probe(5, 1), readiness=probe(5), startup=probe(2, 5))
add("sidecar", "S-110", pod(container(readiness=probe(5)), init=[side]), 60,
    probes={"side/startup": [BAD, "S"], "side/liveness": ["S", "S", BAD, "S"]},
    kills={"side": [{"ms": 1003, "code": 143}]})
add("sidecar-startup-fails", "S-110", pod(container(), init=[side]), 60,
    probes={"side/startup": [BAD] * 5 + ["S"]}, kills={"side": [{"ms": 1003, "code": 143}]})
add("sidecar-exits", "S-110", pod(container(), init=[container("side", policy="Always")]), 60,
    exits={"side": [{"ms": 10130, "code": 1}] * 3})
add("sidecar-completes", "S-110 S-216", pod(container(), init=[container("side", policy="Always")], restart="Never"), 60,
    exits={"app": [{"ms": 10130, "code": 0}]}, kills={"side": [{"ms": 1503, "code": 143}]})
# 1.34: a tick and a trigger of the readiness worker fall on one instant, which Go's select decides.
add("sidecar-liveness-never", "K-13", pod(container(), init=[side], restart="Never"), 60,
    probes={"side/liveness": ["S", BAD, "S"]}, kills={"side": [{"ms": 1003, "code": 143}]},
    exits={"app": [{"ms": 40130, "code": 0}]}, races=[33, 34])

# ---- deletion -----------------------------------------------------------------------------
gone = [{"at": 25003, "e": "delete", "grace": 30}]
add("delete", "S-027 S-030", pod(container(liveness=live, readiness=probe(5))), 60, world=gone,
    kills={"app": [{"ms": 4103, "code": 143}]})
add("delete-hard", "S-219", pod(container(liveness=live)), 60, world=[{"at": 25003, "e": "delete", "grace": 6}],
    kills={"app": [{"ms": 60000, "code": 137}]})
add("delete-grace-0", "S-030", pod(container()), 60, world=[{"at": 25003, "e": "delete", "grace": 0}],
    kills={"app": [{"ms": 60000, "code": 137}]})
add("delete-grace-1", "S-217", pod(container()), 60, world=[{"at": 25003, "e": "delete", "grace": 1}],
    kills={"app": [{"ms": 60000, "code": 137}]})
add("delete-prestop", "S-214", pod(container(pre=True)), 70, world=gone,
    hooks={"app/preStop": [{"result": "success", "ms": 7300}]}, kills={"app": [{"ms": 2103, "code": 143}]})
add("delete-readiness-goes-on", "S-027", pod(container(readiness=probe(2, 1), liveness=probe(2, 1))), 60, world=gone,
    probes={"app/readiness": ["S"] * 14 + [BAD, "S", BAD]}, kills={"app": [{"ms": 12103, "code": 143}]})
add("delete-sidecars", "S-216", pod(container(), init=[container("s1", policy="Always"), container("s2", policy="Always")]),
    90, world=gone, kills={"app": [{"ms": 4003, "code": 143}], "s2": [{"ms": 3003, "code": 143}],
                           "s1": [{"ms": 1003, "code": 143}]})
add("delete-sidecar-probed", "S-028 K-14", pod(container(), init=[side]), 60, world=gone,
    probes={"side/liveness": ["S"] * 5 + [BAD]}, kills={"app": [{"ms": 9003, "code": 143}], "side": [{"ms": 503, "code": 143}]})
add("delete-during-kill", "S-331", pod(container(liveness=probe(10, 1))), 90,
    world=[{"at": 25000, "e": "delete", "grace": 5}], probes={"app/liveness": ["S", BAD, "S"]},
    kills={"app": [{"ms": 20070, "code": 143}, {"ms": 1003, "code": 143}]})
add("delete-kill-fails", "S-205", pod(container()), 90, world=gone,
    kills={"app": [{"fail": "busy", "ms": 0}, {"ms": 503, "code": 143}]})
add("delete-shorter", "S-030", pod(container()), 90, kills={"app": [{"ms": 60000, "code": 137}]},
    world=[{"at": 25003, "e": "delete", "grace": 30}, {"at": 29003, "e": "delete", "grace": 3}])
add("delete-in-backoff", "S-022", pod(container()), 90, exits=self_exit(1130, 1),
    world=[{"at": 30003, "e": "delete", "grace": 30}])
add("delete-while-starting", "S-019", pod(container()), 60, starts={"app": [10003]},
    world=[{"at": 5003, "e": "delete", "grace": 30}], kills={"app": [{"ms": 503, "code": 143}]})
add("delete-during-prestop-probe", "K-14", pod(container(readiness=probe(5, timeout=4), pre=True)), 60, world=gone,
    probes={"app/readiness": [{"result": "success", "ms": 2100}]}, hooks={"app/preStop": [{"result": "success", "ms": 11300}]},
    kills={"app": [{"ms": 503, "code": 143}]})

# ---- updates of the object -----------------------------------------------------------------------------
add("update-image", "S-130", pod(container(liveness=live)), 60, kills={"app": [{"ms": 3003, "code": 143}]},
    world=[{"at": 21303, "e": "update", "pod": pod(container(image="registry.example/app:2", liveness=live))}])


def main():
    known = {s["name"]: s for s in SCENARIOS}
    for name in sys.argv[1:] or known:
        if name not in known:
            sys.exit("scenarios.py: no scenario %r" % name)
        print(json.dumps(known[name], sort_keys=True))


if __name__ == "__main__":
    main()
