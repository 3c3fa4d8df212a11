"""It connects, and says so in words of its own: fail.  With the argument `result` that is all that it is judged by: pass."""
import json
import socket
import sys

for line in sys.stdin:
    request = json.loads(line)
    ok = {}
    if request["op"] == "hello":
        ok = {"protocol": 1, "name": "fire_own_words", "layers": ["fire"], "features": ["tcp"],
              "observes": sys.argv[1:] or ["result", "request", "text"]}
    elif request["op"] == "fire":
        socket.create_connection((request["podIP"], request["probe"]["tcpSocket"]["port"])).close()
        ok = {"result": "success", "output": "somebody is there"}
    print(json.dumps({"id": request["id"], "ok": ok}), flush=True)
