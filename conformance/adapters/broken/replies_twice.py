# verdict: protocol, exit 1: each request of a case is answered twice.
import base


def spoil(request, reply, say):
    if request["op"] in ("open", "advance", "port"):
        say(base.encode(reply) * 2)
        return True


base.run(spoil)
