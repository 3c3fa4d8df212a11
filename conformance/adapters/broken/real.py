# Adapters in real time with one fault each: real.py FAULT.  base.py's are in virtual time.
import os
import socket
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
import naive  # noqa: E402
import naive_real  # noqa: E402

PERIOD = 2000  # ms, of the case that is played


class behind(naive_real.Adapter):
    """timeout: its clock loses an eighth."""
    def now(self):
        return super().now() * 7 // 8


class ahead(naive_real.Adapter):
    """protocol: its clock gains an eighth."""
    def now(self):
        return super().now() * 9 // 8


class late(naive_real.Adapter):
    """timeout: each effect is told a period after it was."""
    def op_advance(self, request):
        reply = super().op_advance(request)
        if reply["effects"]:
            time.sleep(PERIOD / 1000 / self.speed)
        return reply


class probes_late(naive_real.Adapter):
    """fail: a probe begins two periods after it is due."""
    def op_open(self, request):
        for container in request["pod"]["spec"]["containers"]:
            for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
                if probe in container:
                    container[probe]["initialDelaySeconds"] = container[probe].get("initialDelaySeconds", 0) + 4
        return super().op_open(request)


class mixed_up(naive_real.Adapter):
    """protocol: of what it has kept it tells the newest first."""
    def op_advance(self, request):
        time.sleep(0.1 * 40 / self.speed)
        self.live(request.pop("events", None) or [])
        self.kept.reverse()
        return super().op_advance(request)


class hangs(naive_real.Adapter):
    """timeout: it waits for ever."""
    def op_advance(self, _request):
        time.sleep(600)


class dies(naive_real.Adapter):
    """crash: the program dies in the middle of a case, and the adapter with it."""
    def op_advance(self, request):
        if request["to"] >= 2 * PERIOD:
            subprocess.run(["sh", "-c", "exit 3"], check=False)
            os._exit(3)
        return super().op_advance(request)


class program_hangs(naive_real.Adapter):
    """fail: the program hangs; the adapter notices, and says so."""
    def op_advance(self, request):
        program = subprocess.Popen(["sleep", "600"])
        try:
            program.wait(0.05)
        except subprocess.TimeoutExpired:
            return self.no("the program does not answer")
        return super().op_advance(request)

    def no(self, why):
        raise RuntimeError(why)

    def reply(self, request):
        try:
            return super().reply(request)
        except (RuntimeError, OSError) as why:
            return self.refusal(request, "internal", why)


class taken_port(program_hangs):
    """fail: the program's port is another's."""
    def op_open(self, _request):
        first = socket.create_server(("127.0.0.1", 0))
        socket.create_server(first.getsockname())

    op_advance = naive_real.Adapter.op_advance


class children(naive_real.Adapter):
    """pass: each case leaves a program behind, in a session of its own, that ignores SIGTERM."""
    def op_open(self, request):
        subprocess.Popen(["sh", "-c", "trap '' TERM; while :; do sleep 1; done"], start_new_session=True)
        return super().op_open(request)


class stops_the_runner(naive_real.Adapter):
    """noisy: the runner stands still for 3.5 s before the container runs; at each pace."""
    def op_hello(self, request):
        return {**super().op_hello(request), "speed": 1}

    def op_open(self, request):
        reply = super().op_open(request)
        subprocess.run(["sh", "-c", f"kill -STOP {os.getppid()}; sleep 3.5; kill -CONT {os.getppid()}"], check=True)
        return reply


class virtual(naive.Adapter):
    """protocol: it says that its clock is real, and never waits."""
    def op_hello(self, request):
        return {**super().op_hello(request), "clock": "real", "speed": 40}


if __name__ == "__main__":
    naive.serve(globals()[sys.argv[1]]())
