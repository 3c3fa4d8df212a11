#!/usr/bin/env python3
"""What the oracle's build says when modules cannot be had, on a proxy of its own: files, no network.

The proxy serves a kubelet of three lines and one staging module.  Tried are a build that succeeds, a
proxy that fails half way, a checksum that is refused, code that does not compile, and a matrix whose
first row fails; the same of a proxy behind HTTP that breaks off or is not there.  And the watchdog of the
adapter, in a bubble that waits for something outside.  Without Go nothing is tried, and it says so.
"""

import functools
import http.server
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
KUBERNETES = "k8s.io/kubernetes", "v1.36.4"
API = "k8s.io/api", "v0.36.4"
ADAPTER = 'package main\n\nimport "k8s.io/kubernetes/pkg/probe"\n\nfunc main() { probe.Probe() }\n'
# The adapter's own watchdog.go, with as little around it as it needs.
BLOCKED = """package main

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
)

type request struct{}
type reply struct{ code, message string }
type wire struct{}

var stderr = os.Stderr

func refuse(code, format string, args ...any) reply { return reply{code, fmt.Sprintf(format, args...)} }

func (*wire) answer(_ *request, r reply) { fmt.Println(r.code, r.message) }

func waitForOutside(outside chan struct{}) { <-outside }

func serve(t *testing.T) {
	go watchdog(&wire{})
	outside := make(chan struct{})
	synctest.Test(t, func(*testing.T) {
		busy(&request{})
		waitForOutside(outside)
	})
}

func main() {
	testing.Main(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "serve", F: serve}}, nil, nil)
}
"""
problems, tried = [], 0


def publish(proxy, module, files):
    """One version of one module, as a proxy keeps it."""
    path, version = module
    folder = os.path.join(proxy, path, "@v")
    os.makedirs(folder, exist_ok=True)
    for suffix, text in ((".info", f'{{"Version":"{version}","Time":"2026-01-01T00:00:00Z"}}'), (".mod", files["go.mod"])):
        with open(os.path.join(folder, version + suffix), "w", encoding="utf-8") as f:
            f.write(text)
    with zipfile.ZipFile(os.path.join(folder, version + ".zip"), "w") as z:
        for name, text in files.items():
            z.writestr(f"{path}@{version}/{name}", text)


class Checkout:
    """The oracle's scripts beside a tiny adapter, with a proxy and caches of their own."""

    def __init__(self, folder):
        self.root = os.path.join(folder, "root")
        self.proxy = os.path.join(folder, "proxy")
        oracle = os.path.join(self.root, "conformance/oracle")
        self.adapter = os.path.join(self.root, "conformance/adapters/kubelet")
        os.makedirs(oracle)
        os.makedirs(self.adapter)
        for name in ("build.sh", "build_handlers.sh", "build_whole.sh", "gomod.sh", "refused.sh", "tags.sh", "matrix.py", "record.py",
                     "kubectl-releases", "pod-releases"):
            shutil.copy(os.path.join(HERE, name), oracle)
        os.makedirs(os.path.join(self.root, "core/rules"))
        shutil.copy(os.path.join(HERE, "../../core/rules/built.def"), os.path.join(self.root, "core/rules"))
        with open(os.path.join(oracle, "releases"), "w", encoding="utf-8") as f:
            f.write("1.36 1.36.4\n")
        shutil.copy(os.path.join(HERE, "../adapters/kubelet/go.mod"), self.adapter)
        shutil.copytree(os.path.join(HERE, "../adapters/release"), os.path.join(self.root, "conformance/adapters/release"))
        self.whole = os.path.join(self.adapter, "whole")
        os.makedirs(self.whole)
        for name in ("build.sh", "gomod.py"):
            shutil.copy(os.path.join(HERE, "../adapters/kubelet/whole", name), self.whole)
        self.say(ADAPTER)
        go = "\n\ngo 1.20\n"
        publish(self.proxy, KUBERNETES, {
            "go.mod": f"module k8s.io/kubernetes{go}\nrequire k8s.io/api v0.0.0\n\nreplace (\n\tk8s.io/api => ./staging/src/k8s.io/api\n)\n",
            "pkg/probe/probe.go": 'package probe\n\nimport "k8s.io/api/core"\n\nfunc Probe() { core.Pod() }\n'})
        publish(self.proxy, API, {"go.mod": f"module k8s.io/api{go}", "core/pod.go": "package core\n\nfunc Pod() {}\n"})
        self.environment = dict(
            os.environ, GOPROXY="file://" + self.proxy, GONOSUMDB="*", GOFLAGS="-modcacherw", GOTOOLCHAIN="local",
            GOMODCACHE=os.path.join(folder, "modules"), ADAPTERS="prober")

    def say(self, source):
        for folder in (self.adapter, self.whole):
            with open(os.path.join(folder, "main.go"), "w", encoding="utf-8") as f:
                f.write(source)

    def forget(self):
        """As on a new machine."""
        shutil.rmtree(self.environment["GOMODCACHE"], ignore_errors=True)
        shutil.rmtree(os.path.join(self.root, "build"), ignore_errors=True)

    def expect(self, code, text, *command):
        global tried
        tried += 1
        script = [os.path.join(self.root, "conformance/oracle", command[0])]
        if script[0].endswith(".py"):
            script.insert(0, sys.executable)
        done = subprocess.run(script + list(command[1:]),
                              env=self.environment, capture_output=True, text=True, timeout=300)
        said = done.stdout + done.stderr
        if done.returncode != code or text not in said:
            problems.append(f"{' '.join(command)}: exit {done.returncode}, wanted {code} and {text!r}:\n{said[:1500]}")
        return said

    def expect_line(self, code, text, *command):
        """The same, and that it is said in one line."""
        said = self.expect(code, text, *command)
        if len(said.strip().splitlines()) != 1:
            problems.append(f"{' '.join(command)}: wanted one line:\n{said}")


def without_a_module(c, build, sums):
    """Of one of the builds: a module that is not there, and a checksum that is not the one it was."""
    binaries = os.path.join(c.root, "build/oracle/1.36")
    c.forget()
    missing = os.path.join(c.proxy, API[0], "@v", API[1] + ".zip")
    os.rename(missing, missing + ".gone")
    c.expect_line(4, API[0], build, "1.36")
    os.rename(missing + ".gone", missing)
    if any(name.startswith("kubelet-") and os.access(os.path.join(binaries, name), os.X_OK) for name in os.listdir(binaries)):
        problems.append(f"{build}: a program is there without its modules")
    c.forget()
    c.expect(0, "", build, "1.36")
    with open(os.path.join(binaries, sums), encoding="utf-8") as f:
        lines = f.read().replace("h1:", "h1:AAAA")
    with open(os.path.join(binaries, sums), "w", encoding="utf-8") as f:
        f.write(lines)
    c.expect_line(4, "checksum mismatch", build, "1.36")


class Breaking(http.server.SimpleHTTPRequestHandler):
    """Serves a proxy's files, but breaks off in the middle of the zips of one module."""

    def do_GET(self):
        if not (API[0] in self.path and self.path.endswith(".zip")):
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(b"PK")
        self.close_connection = True
        return None

    def log_message(self, *_):
        pass


def over_http(c):
    """A proxy that fails half way on the wire, and one that nobody answers at."""
    handler = functools.partial(Breaking, directory=c.proxy)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}"
        c.forget()
        c.environment["GOPROXY"] = address
        c.expect_line(4, API[0], "build.sh", "1.36")
        server.shutdown()
    c.forget()
    c.environment["GOPROXY"] = address
    c.expect_line(4, KUBERNETES[0], "build.sh", "1.36")
    c.environment["GOPROXY"] = "off"
    c.expect_line(4, KUBERNETES[0], "build.sh", "1.36")
    c.environment["GOPROXY"] = "file://" + c.proxy


def watchdog(c):
    """The bubble that does not advance is noticed after 4 s, with the stack that blocks."""
    global tried
    tried += 1
    folder = os.path.join(c.root, "blocked")
    os.makedirs(folder)
    shutil.copy(os.path.join(HERE, "../adapters/kubelet/watchdog.go"), folder)
    for name, text in (("main.go", BLOCKED), ("go.mod", "module probetest.local/blocked\n\ngo 1.26.0\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)
    done = subprocess.run(["go", "run", "."], cwd=folder, env=c.environment, capture_output=True, text=True, timeout=300)
    line = next((line for line in done.stdout.splitlines() if line.startswith("internal ")), "")
    if "the bubble does not advance" not in line or "main.waitForOutside" not in line or "exit status 4" not in done.stderr:
        problems.append(f"watchdog: {done.stdout[:500]}{done.stderr[:500]}")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # and nothing is left
    if shutil.which("go") is None:
        print("oracle modules: no Go toolchain: nothing tried")
        return 0
    folder = tempfile.mkdtemp()
    try:
        c = Checkout(folder)
        c.expect(0, "", "build.sh", "1.36")

        without_a_module(c, "build.sh", "go.sum")
        without_a_module(c, "build_whole.sh", "kubelet-whole.sum")
        c.forget()
        c.say(ADAPTER.replace("probe.Probe()", "probe.Gone()"))
        c.expect(1, "does not build against Kubernetes 1.36", "build.sh", "1.36")
        c.say(ADAPTER)

        # A release's own Go that the proxy does not have.
        c.expect_line(4, "toolchain not available", "build_handlers.sh", "1.36")

        # The row that fails says why, and the next one is tried all the same.
        said = c.expect(4, "1.99 prober   oracle: Kubernetes 1.99 is not among the releases", "matrix.py", "true", "1.99", "1.36")
        if not any(line.startswith("1.36 ") for line in said.splitlines()):
            problems.append(f"matrix: no row behind the one that failed:\n{said}")
        over_http(c)
        watchdog(c)
    finally:
        subprocess.run(["chmod", "-R", "u+w", folder], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    for problem in problems:
        print("oracle modules:", problem)
    print(f"oracle modules: {tried} tries, {len(problems)} failed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
