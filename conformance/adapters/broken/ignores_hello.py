# verdict: not-run, exit 4: hello is never answered, the process lives on.
import base


def spoil(request, _reply, _say):
    return request["op"] == "hello"


base.run(spoil)
