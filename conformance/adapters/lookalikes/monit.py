"""Monit's idea: `if failed for 3 times within 5 cycles`: failures need not follow one another."""
import base

WINDOW = 2  # cycles more than failures are asked for


class Service(base.Worker):
    seen_results = ()

    def adopt(self, seen):
        super().adopt(seen)
        self.seen_results = ()

    def count(self, result):
        wanted = max(1, self.spec.get("failureThreshold", 3))
        self.seen_results = (self.seen_results + (result,))[-(wanted + WINDOW):]
        failures = self.seen_results.count(base.FAILURE)
        if result == base.FAILURE and failures >= wanted:
            # Enough of them lately, whatever was in between.
            self.last, self.run = base.FAILURE, wanted - 1
        elif result == base.FAILURE:
            self.last, self.run = base.FAILURE, -1
        super().count(result)


base.serve("monit-like", "https://mmonit.com/monit/documentation/monit.html#FAULT-TOLERANCE", Service)
