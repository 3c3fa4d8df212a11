# verdict: skip, exit 1 (nothing was judged): a question may be declined.  With the argument any-state, which it then
# declares as a feature: fail, exit 1.
import sys

import base


def spoil(request, reply, say):
    if request["op"] == "hello":
        reply["ok"]["layers"] = ["actions"]
        reply["ok"]["features"] = sys.argv[1:]
    elif request["op"] == "actions":
        say(base.encode({"id": request["id"], "error": {"code": "unsupported", "message": "no life leads there"}}))
        return True


base.run(spoil)
