"""Podman's idea: a failing streak that survives the restart it has caused."""
import base


class HealthCheck(base.Worker):
    def holds(self, result):
        # It goes on asking a container that is about to be stopped, and the streak goes on too.
        return False

    def set(self, value):
        # Not running is no reason to call a container unhealthy.
        seen = self.k.status.find(self.name, True) if self.k.status else None
        if value == base.FAILURE and seen is not None and seen.state != "running":
            return
        super().set(value)


base.serve("podman-like", "https://docs.podman.io/en/latest/markdown/podman-healthcheck-run.1.html",
           HealthCheck)
