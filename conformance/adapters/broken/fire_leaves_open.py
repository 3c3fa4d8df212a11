"""Claims layer fire, says what is wanted of a TCP probe, and never closes the connection."""
import json
import socket
import sys

kept = []
for line in sys.stdin:
    request = json.loads(line)
    ok = {}
    if request["op"] == "hello":
        ok = {"protocol": 1, "name": "fire_leaves_open", "layers": ["fire"], "features": ["tcp"]}
    elif request["op"] == "fire":
        kept.append(socket.create_connection((request["podIP"], request["probe"]["tcpSocket"]["port"])))
        ok = {"result": "success", "output": ""}
    print(json.dumps({"id": request["id"], "ok": ok}), flush=True)
