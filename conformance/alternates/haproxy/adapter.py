"""HAProxy's health checks: `check inter fall rise` of a server, seen at the stats socket."""
import csv
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'adapters', 'lockstep'))
import ends  # noqa: E402
import lockstep  # noqa: E402


class HAProxy(lockstep.Program):
    name, language, url = 'haproxy', 'C', 'https://docs.haproxy.org/'
    version = lockstep.version_of(r'version (\S+)', 'haproxy', '-v')

    def begin(self, probe):
        self.checked, self.stats = ends.HTTP(), os.path.join(self.folder, 'stats')
        self.run('haproxy', '-db', '-f', self.file('cfg', f'''
global
  stats socket {self.stats} mode 600
defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
  timeout check {lockstep.TIMEOUT}s
backend b
  option httpchk GET /
  server s 127.0.0.1:{self.checked.port} check inter 5ms fall {probe['failureThreshold']} rise {probe['successThreshold']}
'''))
        self.checked.wait(lockstep.PATIENCE)

    def value(self):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(self.stats)
            peer.sendall(b'show stat\n')
            lines = peer.makefile(encoding='ascii').read().splitlines()
        server = next(row for row in csv.DictReader(lines) if row['# pxname'] == 'b' and row['svname'] == 's')
        return 'success' if server['status'].startswith('UP') else 'failure'


lockstep.serve(HAProxy)
