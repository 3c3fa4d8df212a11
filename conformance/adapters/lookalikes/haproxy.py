"""HAProxy's idea of a health check: rise and fall, up until proven down, down on the first failure at start."""
import base


class Server(base.Worker):
    proven = False  # has this instance ever answered well?

    def adopt(self, seen):
        super().adopt(seen)
        self.proven = False

    def first_result(self):
        # A server is UP as soon as it is there.
        return base.SUCCESS if self.kind == "readiness" else super().first_result()

    def count(self, result):
        # ... but on probation: the first failure takes it down without waiting for `fall` of them.
        if result == base.FAILURE and not self.proven:
            self.last, self.run = result, self.spec.get("failureThreshold", 3) - 1
        self.proven = self.proven or result == base.SUCCESS
        super().count(result)

    def understand(self, answer):
        # A check that could not be made is a check that failed.
        verdict, text = super().understand(answer)
        return ("failure" if verdict in ("error", "broken", "unknown") else verdict), text


base.serve("haproxy-like", "https://docs.haproxy.org/2.8/configuration.html#5.2-fall", Server)
