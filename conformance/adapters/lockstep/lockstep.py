"""lockstep.py: a real program that probes by itself, behind the adapter protocol.

The k-th check that the program makes is the one that is due k periods after its instance began, however fast or slow it makes
it: each is held at its end (ends.py) until the runner's time has come to it and the runner has answered.  So virtual time costs
no real time, and the program needs no hook.

What is judged: what it makes of the answers.  What is not: its own timers (delay, period).  README.md has an example.
"""
import atexit
import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import ends

KINDS = ('startup', 'readiness', 'liveness')
UNKNOWN = {'startup': 'unknown', 'readiness': 'failure', 'liveness': 'success'}  # what a user sees before the program says more
OUTSIDE = ('containers', 'errors', 'initial-delay', 'triggers')  # what lock step itself has not
PATIENCE = 10  # seconds until a check that does not come does not come; a machine may be busy
TIMEOUT = ends.GIVES_UP // 2  # seconds: the timeout that a program is given, in real time
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class Declined(Exception):
    """The program has no words for what the case asks."""


class Ended(Exception):
    """The program is gone, and should not be."""


class Program:
    """One run of the program, for one case.  A subclass says what is its own."""
    name = version = url = language = ''
    end = None            # makes what it checks: ends.HTTP
    probes = ('readiness', )  # the probes that it has at all
    lacks = ()            # what else it has no words for, as hello names it: 'success-threshold'

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix='lockstep-')
        self.checked, self.patience, self.running, self.log = None, PATIENCE, [], open(os.path.join(self.folder, 'log'), 'w+b')

    # ---- what a subclass has ----

    def begin(self, probe):
        """The container runs: have its `probe` (the API's fields) checked at self.checked, as often as the program likes."""
        raise NotImplementedError

    def renew(self):
        """The container was replaced by a new one; the program may not know."""

    def value(self):
        """What it says by now: 'success', 'failure', or None where it says neither."""
        raise NotImplementedError

    def ask(self):
        """Does it make a check now?  From then on that is held."""
        return self.checked.wait(self.patience)

    def settle(self):
        """It was answered: wait until it has taken that in.  A program that makes its next check has."""
        self.checked.wait(PATIENCE)

    def stop(self):
        """The case is over; what run() began is ended after this."""

    # ---- what it may use ----

    def file(self, name, content, mode=0o600):
        """Write a file of the case; its path."""
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(content)
        os.chmod(path, mode)
        return path

    def listens(self, port):
        """Wait until the program listens there.  Where another does, the case fails: that one would be judged in its place."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            self.check_alive()
            sockets = listening(port)
            if sockets & {socket for process in self.running for socket in sockets_of(process.pid)}:
                return
            if sockets:
                raise Ended(f'port {port} is taken by another program')
            time.sleep(0.01)
        raise Ended(f'nobody listens at port {port} after 20 s')

    def run(self, *command, **options):
        """Begin a process that ends with the case at the latest."""
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
                                   preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL), **options)
        self.running.append(process)
        return process

    # ---- what serve() uses ----

    def check_alive(self):
        for process in self.running:
            if process.poll() is not None:
                self.log.seek(0)
                last = self.log.read().decode(errors='replace').strip().split('\n')[-1]
                raise Ended(f'{process.args[0]} ended with {process.returncode}: {last[-300:]}')

    def close(self):
        try:
            self.stop()
        finally:
            for process in self.running:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
            self.running = []
            if self.checked:
                self.checked.close()
            self.log.close()
            shutil.rmtree(self.folder, ignore_errors=True)


def free_port():
    """A port of 127.0.0.1 that was free just now."""
    with socket.create_server(('127.0.0.1', 0)) as free:
        return free.getsockname()[1]


def listening(port):
    """The sockets that listen at a port, of one address or of all, as links in /proc name them."""
    found = set()
    for name in ('/proc/net/tcp', '/proc/net/tcp6'):
        with open(name, encoding='ascii') as table:
            rows = [words for words in map(str.split, table) if words[3] == '0A']
        found |= {f'socket:[{words[9]}]' for words in rows if words[1].endswith(f':{port:04X}')}
    return found


def sockets_of(session):
    """What is open in a process and in all that it has begun, as long as they are of one session."""
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            if os.getsid(int(pid)) == session:
                yield from [os.readlink(f'/proc/{pid}/fd/{fd}') for fd in os.listdir(f'/proc/{pid}/fd')]
        except OSError:
            continue  # it has gone


def version_of(pattern, *command, **environment):
    """What a command says of its version: the first group of the pattern.  Where it is not here, the adapter ends with one line."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **environment})
    except OSError as error:
        sys.exit(f'{command[0]}: {error.strerror}')
    found = re.search(pattern, done.stdout + done.stderr)
    return found[1] if found else ''


def only_probe(pod):
    """Name of the container, type and fields of the one probe that the pod has."""
    spec = pod['spec']
    found = [(c['name'], kind, c[kind + 'Probe']) for c in spec['containers'] for kind in KINDS if kind + 'Probe' in c]
    if len(found) != 1 or len(spec['containers']) != 1 or spec.get('initContainers'):
        raise Declined('lock step is for one probe of one container')
    name, kind, probe = found[0]
    return name, kind, probe


class Case:
    """One case: time, and the instance of its container."""

    def __init__(self, make, pod):
        self.container, self.kind, self.probe = only_probe(pod)
        self.now, self.effects, self.number, self.waiting, self.due = 0, [], 0, None, None
        self.cid, self.value, self.ready = '', None, False
        self.program = make()

    def open(self, pod):
        for status in pod.get('status', {}).get('containerStatuses', []):
            if 'running' in status.get('state', {}):
                self.running(status['containerID'].split('://')[-1])
        return self.advance(0, [])

    def emit(self, kind, **fields):
        self.effects.append({'e': kind, 'container': self.container, **fields})

    def tell(self):
        """Its value, if that is new; of a readiness probe also whether the container is ready."""
        value = self.program.value() or UNKNOWN[self.kind]
        if value != self.value:
            self.value = value
            self.emit('result', cid=self.cid, type=self.kind, value=value)
        if self.kind == 'readiness' and self.ready != (value == 'success'):
            self.ready = not self.ready
            self.emit('ready', value=self.ready)

    def running(self, cid):
        first, self.cid, self.waiting = not self.cid, cid, None
        self.due, self.value = self.now, None
        if first:
            self.program.begin(self.probe)
        else:
            self.program.renew()
        self.program.check_alive()
        self.tell()

    def event(self, event):
        if event['e'] == 'running':
            self.running(event['cid'])
        elif event['e'] in ('exited', 'remove', 'cleanup'):
            self.due = self.waiting = None
        elif event['e'] == 'answer' and event['n'] == self.waiting:
            self.waiting = None
            self.program.checked.answer(event['result'])
            self.program.settle()
            self.program.check_alive()
            self.tell()

    def check(self):
        """The check that is due now, if the program makes it."""
        self.due = self.now + self.probe['periodSeconds'] * 1000
        asks = self.program.ask()
        self.program.patience = PATIENCE if asks else 0.1  # one that rests is waited for once
        self.program.check_alive()
        if asks:
            self.number += 1
            self.waiting = self.number
            self.emit('probe', cid=self.cid, type=self.kind, n=self.number, attempt=1)

    def advance(self, to, events):
        for event in events:
            self.event(event)
        while not self.effects and self.now < to or self.due == self.now:
            if self.due is None or self.waiting or self.due > to:
                self.now = to
                break
            self.now = max(self.now, self.due)
            self.check()
        effects, self.effects = self.effects, []
        return {'at': self.now, 'effects': effects}


def hello(make):
    return {'protocol': 1, 'name': make.name, 'version': make.version, 'language': make.language, 'url': make.url, 'tier': 'contract',
            'layers': ['probe'], 'features': ['own-grid'], 'lacks': [*OUTSIDE, *make.lacks, *(k for k in KINDS if k not in make.probes)],
            'observes': ['probe', 'result', 'ready'], 'clock': 'virtual'}


def serve(make):
    """Speak the protocol for the Program that make() makes, until stdin ends."""
    case = None

    def close():
        nonlocal case
        if case:
            case.program.close()
        case = None

    def reply(request):
        nonlocal case
        operation = request['op']
        if operation == 'hello':
            return hello(make)
        if operation == 'open':
            case = Case(make, request['pod'])
            return case.open(request['pod'])
        if operation == 'advance':
            return case.advance(request['to'], request['events'])
        if operation == 'close':
            close()
            return {}
        raise Declined(f'there is no op {operation} here')

    for name in [name for name in os.environ if name.lower().endswith('_proxy')]:
        del os.environ[name]  # the runner's, for real probes: here nothing leaves this machine
    atexit.register(close)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {'ok': reply(request)}
        except Declined as why:
            answer = {'error': {'code': 'unsupported', 'message': str(why)}}
        except Exception as why:  # pylint: disable=broad-except  # the case is over, the adapter goes on
            close()
            answer = {'error': {'code': 'internal', 'message': f'{type(why).__name__}: {why}'}}
        print(json.dumps({'id': request['id'], **answer}), flush=True)
