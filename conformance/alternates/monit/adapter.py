"""Monit's connection tests: `if failed ... for N cycles then restart`, seen by its start program."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'adapters', 'lockstep'))
import ends  # noqa: E402
import lockstep  # noqa: E402


class Monit(lockstep.Program):
    name, language, url = 'monit', 'C', 'https://mmonit.com/monit/documentation/monit.html'
    probes = ('liveness', )
    lacks = ('success-threshold', )
    version = lockstep.version_of(r'version (\S+)', 'monit', '-V')

    def begin(self, probe):
        self.checked, self.starts = ends.HTTP(), os.path.join(self.folder, 'starts')
        self.file('starts', '')
        start = self.file('start', f'#!/bin/sh\necho start >>{self.starts}\n', 0o755)
        stop = self.file('stop', '#!/bin/sh\n', 0o755)
        # A host and no process: a process must be there before it is asked.
        self.run('monit', '-I', '-c', self.file('monitrc', f'''
set daemon 1
set log {self.folder}/monit.log
set pidfile {self.folder}/pid
set idfile {self.folder}/id
set statefile {self.folder}/state
check host web with address 127.0.0.1
  start program = "{start}"
  stop program = "{stop}"
  if failed port {self.checked.port} protocol http request "/" with timeout {lockstep.TIMEOUT} seconds for {probe['failureThreshold']} cycles then restart
'''))
        self.known = 0

    def settle(self):
        self.running[0].send_signal(signal.SIGUSR1)  # do not sleep until the next cycle
        super().settle()

    def restarts(self):
        with open(self.starts, encoding='ascii') as file:
            return len(file.readlines())

    def renew(self):
        self.known = self.restarts()

    def value(self):
        return 'failure' if self.restarts() > self.known else 'success'


lockstep.serve(Monit)
