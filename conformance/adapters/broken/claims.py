"""A right adapter that says more of itself: claims.py NAME=JSON..., members of its reply to hello."""
import json
import sys

import base

CLAIMS = {name: json.loads(value) for name, value in (word.split("=", 1) for word in sys.argv[1:])}


def spoil(request, reply, _say):
    if request.get("op") == "hello" and "ok" in reply:
        reply["ok"].update(CLAIMS)
    return False


base.run(spoil)
