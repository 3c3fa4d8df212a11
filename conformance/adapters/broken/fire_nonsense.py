"""Claims layer fire and answers it in shapes that the protocol does not have, another one each time."""
import json
import sys

SHAPES = [{}, [], {"result": "success"}, {"result": "fine", "output": ""}, {"result": 1, "output": ""},
          {"result": "success", "output": "", "error": ""}, {"result": "success", "output": 5},
          {"result": "success", "output": "", "class": "no such class"},
          {"result": "success", "output": "", "took": 3}, {"output": ""}]
turn = 0
for line in sys.stdin:
    request = json.loads(line)
    ok = {}
    if request["op"] == "hello":
        ok = {"protocol": 1, "name": "fire_nonsense", "layers": ["fire"], "features": ["http"]}
    elif request["op"] == "fire":
        ok = SHAPES[turn % len(SHAPES)]
        turn += 1
    print(json.dumps({"id": request["id"], "ok": ok}), flush=True)
