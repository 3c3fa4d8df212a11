"""Docker's HEALTHCHECK: retries, one success heals, the interval counts from the end of a check."""
import base


class HealthCheck(base.Worker):
    def live(self):
        # The first check comes an interval after the start, each other one an interval after the
        # end of the last; there is nobody who pokes.
        self.until = self.k.now + self.period_ms
        yield base.naive.SLEEP
        for waits in super().live():
            if waits == base.naive.SELECT:
                self.next_tick = self.k.now + self.period_ms
                self.tick = self.trigger = False
            yield waits

    def count(self, result):
        if result == base.SUCCESS:  # successThreshold is not a thing
            self.run = max(self.run, self.spec.get("successThreshold", 1))
            self.last = base.SUCCESS
        super().count(result)

    def understand(self, answer):
        # A check that could not be run is an unhealthy one; nothing is asked twice.
        verdict, text = super().understand(answer)
        return ("failure" if verdict in ("error", "broken", "unknown") else verdict), text

    def holds(self, result):
        # Unhealthy is a word in `docker ps`: nobody restarts anything, and checks go on.
        return False


base.serve("docker-like", "https://docs.docker.com/reference/dockerfile/#healthcheck", HealthCheck)
