"""Claims layer fire and never answers a probe."""
import json
import sys
import time

for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "fire":
        time.sleep(600)
    ok = {"protocol": 1, "name": "fire_hangs", "layers": ["fire"], "features": ["tcp"]}
    print(json.dumps({"id": request["id"], "ok": ok}), flush=True)
