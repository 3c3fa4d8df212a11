"""Podman's health checks: `--health-retries` and `--health-on-failure=restart`, as `podman kube play` makes them of a liveness
probe.  A check is `podman healthcheck run`, which is what its timer calls; a restart is seen in the container's start.

The container has this machine's own /usr, so no image is fetched."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'adapters', 'lockstep'))
import ends  # noqa: E402
import lockstep  # noqa: E402

UNIFIED = '/sys/fs/cgroup/unified'
if os.path.ismount(UNIFIED):  # crun refuses a machine that has both kinds of cgroups: here the second is put aside
    os.execvp('unshare', ['unshare', '--mount', 'sh', '-c', f'umount -l {UNIFIED} && exec "$@"', 'sh', sys.executable, *sys.argv])


class Podman(lockstep.Program):
    name, language, url = 'podman', 'Go', 'https://docs.podman.io/en/v4.3/markdown/podman-healthcheck-run.1.html'
    probes = ('liveness', )
    lacks = ('success-threshold', )
    version = lockstep.version_of(r'([\d.]+)', 'podman', '--version')

    def podman(self, *words):
        command = ['podman', '--root', f'{self.folder}/store', '--runroot', f'{self.folder}/run', '--storage-driver', 'vfs',
                   '--cgroup-manager', 'cgroupfs', '--events-backend', 'none', *words]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def said(self, *words):
        process = self.podman(*words)
        out, error = process.communicate()
        if process.returncode:
            raise lockstep.Ended(f'podman {words[0]}: {error.strip()[-300:]}')
        return out.strip()

    def begin(self, probe):
        root, end = os.path.join(self.folder, 'root'), os.path.join(self.folder, 'end')
        for name in ('usr', 'end', 'proc', 'sys', 'dev', 'run', 'etc', 'tmp'):
            os.makedirs(os.path.join(root, name))
        for name in ('bin', 'lib', 'lib64'):
            os.symlink(f'usr/{name}', os.path.join(root, name))
        os.makedirs(end)
        self.checked, self.process = ends.Exec(end, '/end'), None
        self.said('run', '--detach', '--name', 'web', '--network', 'none', '--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024',
                  '--volume', '/usr:/usr:ro', '--volume', f'{end}:/end', '--health-interval', 'disable', '--health-timeout', f'{lockstep.TIMEOUT}s',
                  '--health-retries', str(probe['failureThreshold']), '--health-on-failure', 'restart', '--stop-timeout', '0',
                  '--health-cmd', self.checked.command[2], '--rootfs', root, 'sleep', 'infinity')
        self.start = self.started()

    def started(self):
        return self.said('inspect', '--format', '{{.State.StartedAt}}', 'web')

    def ask(self):
        self.process = self.podman('healthcheck', 'run', 'web')
        return super().ask()

    def settle(self):
        try:
            self.process.wait(4)
        except subprocess.TimeoutExpired:
            pass  # its command is not ended at its timeout

    def renew(self):
        self.start = self.started()

    def value(self):
        return 'failure' if self.started() != self.start else 'success'

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.said('rm', '--force', '--time', '0', 'web')


lockstep.serve(Podman)
