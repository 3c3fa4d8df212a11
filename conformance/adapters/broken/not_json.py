# verdict: protocol, exit 1: its replies are prose.
import base


def spoil(request, _reply, say):
    if request["op"] in ("open", "port"):
        say(b"all is well\n")
        return True


base.run(spoil)
