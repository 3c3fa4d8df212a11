"""lockstep_test.py PROBETEST: a checker of our own in lock step, through each end; then with faults.  With HANDLER [FAULT] after
`adapt` it is the adapter itself."""
import os
import signal
import socket
import subprocess
import sys
import tempfile

import ends
import lockstep

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = r'^contract-(failures-in-a-row|successes-in-a-row|first-values|not-ready-first|leaves|comes-back)'
GIVEN_UP = r'|^contract-exec-timeout\.once'
# what: handler, fault, cases, exit code, what the runner says
TRIED = {
    'HTTP': ('httpGet', '', RUNS, 0, ' passed, 0 failed'),
    'exec': ('exec', '', RUNS + GIVEN_UP, 0, ' passed, 0 failed'),
    'TCP': ('tcpSocket', '', r'^contract-failures-in-a-row\.1$', 0, '1 passed, 0 failed'),
    'a count that is of none in a row': ('exec', 'counts', r'^contract-failures-in-a-row\.3$', 1, 'told ++-+---+'),
    'a program that dies': ('exec', 'dies', r'^contract-failures-in-a-row\.1$', 1, 'ended with 1: looker: it is dead'),
    'a program that checks nothing': ('httpGet', 'sleeps', r'^contract-leaves', 1, 'wanted web ready, got nothing'),
    'a port that it listens at': ('httpGet', 'listens', r'^contract-failures-in-a-row\.1$', 0, '1 passed, 0 failed'),
    'a port that is taken': ('httpGet', 'taken', r'^contract-failures-in-a-row\.1$', 1, ' is taken by another program'),
    'an adapter that is killed': ('exec', 'killed', r'^contract-failures-in-a-row\.1$', 1, 'it was killed by signal 9'),
    'two probes': ('httpGet', '', r'^contract-startup-first\.waits', 1, 'it lacks startup'),
}


class Looker(lockstep.Program):
    name, version, language = 'looker', '1', 'Python'
    probes = ('readiness', 'liveness')
    handler, fault = 'httpGet', ''

    def begin(self, probe):
        self.checked = {'httpGet': ends.HTTP, 'tcpSocket': ends.TCP, 'exec': lambda: ends.Exec(self.folder)}[self.handler]()
        where = self.checked.command[2] if self.handler == 'exec' else str(self.checked.port)
        self.state, port = self.file('state', ''), lockstep.free_port()
        if self.fault == 'taken':
            self.foreign = socket.create_server(('127.0.0.1', port))
        if self.fault == 'killed':
            os.kill(os.getpid(), signal.SIGKILL)
        self.run(sys.executable, os.path.join(HERE, 'looker.py'), self.handler, where, str(probe['failureThreshold']),
                 str(probe['successThreshold']), self.state, self.fault, str(port))
        if self.fault in ('listens', 'taken'):
            self.listens(port)

    def value(self):
        with open(self.state, encoding='ascii') as file:
            return {'up': 'success', 'down': 'failure', '': None}[file.read()]


def try_page(probetest):
    """The example of README.md, by doctor and by run.  Returns: how many are wrong."""
    with open(os.path.join(HERE, 'README.md'), encoding='utf-8') as page, tempfile.TemporaryDirectory() as folder:
        mine = os.path.join(folder, 'mine.py')
        with open(mine, 'w', encoding='utf-8') as file:
            file.write(page.read().split('```python\n')[1].split('```')[0])
        for asked in (['doctor'], ['run', r'^contract-failures-in-a-row\.1$']):
            done = subprocess.run([probetest, asked[0], '--timeout', '60000', *asked[1:], '--', sys.executable, mine],
                                  capture_output=True, text=True, check=False, env={**os.environ, 'PYTHONPATH': HERE})
            if done.returncode != 0:
                print(f'lockstep: the example of the page: {asked[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}')
                return 1
    return 0


def try_all(probetest):
    wrong = try_page(probetest)
    for what, (handler, fault, cases, code, words) in TRIED.items():
        adapter = [sys.executable, os.path.abspath(__file__), 'adapt', handler, *([fault] if fault else [])]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([probetest, 'run', '--tier', 'contract', '--k8s', '1.37', '--timeout', '60000', cases, '--', *adapter],
                                  capture_output=True, text=True, check=False, env={**os.environ, 'LOCKSTEP_TEST': str(os.getpid()), 'TMPDIR': folder})
            files = os.listdir(folder)
        left = subprocess.run(['grep', '-lszx', f'LOCKSTEP_TEST={os.getpid()}', *[f'/proc/{pid}/environ' for pid in os.listdir('/proc') if pid.isdigit()]],
                              capture_output=True, text=True, check=False).stdout + ' '.join(files)
        if done.returncode != code or words not in done.stdout or left:
            print(f'lockstep: {what}: exit code {done.returncode}, wanted {code} and "{words}"; left {left!r}\n{done.stdout}{done.stderr}')
            wrong += 1
    print(f'{len(TRIED) + 1 - wrong} passed, {wrong} failed')
    return 1 if wrong else 0


if sys.argv[1] == 'adapt':
    Looker.handler, Looker.fault = sys.argv[2], (sys.argv + [''])[3]
    lockstep.serve(Looker)
else:
    sys.exit(try_all(sys.argv[1]))
