"""A runner's end of the adapter protocol: one process, a request a line, a reply a line."""
import json
import select
import subprocess


class AdapterError(RuntimeError):
    """The adapter does not speak the protocol, or says that it cannot play this; code: the protocol's, or what became of it."""

    def __init__(self, text, code="protocol"):
        super().__init__(text)
        self.code = code


class Adapter:
    """command: a list; reply_s: how long a reply may take, None: for ever; stderr: as subprocess has it, thrown away."""

    def __init__(self, command, reply_s=10, stderr=subprocess.DEVNULL):
        self.last_id, self.buffer, self.reply_s = 0, b"", reply_s
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, bufsize=0)

    def ask(self, op, **fields):
        self.last_id += 1
        try:
            self.process.stdin.write((json.dumps({"id": self.last_id, "op": op, **fields}) + "\n").encode())
            reply = json.loads(self._line())
        except BrokenPipeError:
            raise AdapterError("the adapter has closed its stdin", "crash") from None
        if reply.get("id") != self.last_id:
            raise AdapterError(f"reply to {reply.get('id')} instead of {self.last_id}")
        if "error" in reply:
            raise AdapterError(f"{op}: {reply['error']['code']}: {reply['error']['message']}", reply["error"]["code"])
        return reply.get("ok", {})

    def _line(self):
        while b"\n" not in self.buffer:
            if not select.select([self.process.stdout], [], [], self.reply_s)[0]:
                raise AdapterError("no reply in time", "timeout")
            part = self.process.stdout.read(1 << 16)
            if not part:
                raise AdapterError("the adapter has ended", "crash")
            self.buffer += part
        line, _, self.buffer = self.buffer.partition(b"\n")
        return line

    def close(self):
        """One whose stdin ends tidies up and ends; one that does not is killed."""
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
