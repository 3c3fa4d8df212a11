"""Apache httpd's mod_proxy_hcheck: `hcpasses` and `hcfails` of a balancer's member, seen in the balancer manager."""
import os
import shutil
import sys
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'adapters', 'lockstep'))
import ends  # noqa: E402
import lockstep  # noqa: E402

HTTPD = os.path.realpath(shutil.which('apache2') or '/usr/sbin/apache2')
MODULES = os.path.join(os.path.dirname(os.path.dirname(HTTPD)), 'lib', 'apache2', 'modules')
LOADED = ('authz_core', 'mpm_event', 'proxy', 'proxy_http', 'slotmem_shm', 'proxy_balancer', 'lbmethod_byrequests', 'proxy_hcheck')


class Apache(lockstep.Program):
    name, language, url = 'apache-hcheck', 'C', 'https://httpd.apache.org/docs/2.4/mod/mod_proxy_hcheck.html'
    version = lockstep.version_of(r'Apache/(\S+)', 'apache2', '-v')

    def begin(self, probe):
        self.checked, self.at = ends.HTTP(), lockstep.free_port()
        modules = '\n'.join(f'LoadModule {name}_module {MODULES}/mod_{name}.so' for name in LOADED)
        user = 'User nobody\nGroup nogroup' if os.getuid() == 0 else ''
        self.run(HTTPD, '-X', '-f', self.file('httpd.conf', f'''
{modules}
{user}
ServerName localhost
ServerRoot {self.folder}
DefaultRuntimeDir {self.folder}
PidFile pid
ErrorLog /dev/stderr
Listen 127.0.0.1:{self.at}
ProxyTimeout {lockstep.TIMEOUT}
<Proxy balancer://b>
  BalancerMember http://127.0.0.1:{self.checked.port} hcmethod=GET hcuri=/ hcinterval=100ms \\
      hcpasses={probe['successThreshold']} hcfails={probe['failureThreshold']}
</Proxy>
<Location /manager>
  SetHandler balancer-manager
</Location>
'''))
        self.listens(self.at)
        self.checked.wait(lockstep.PATIENCE)

    def value(self):
        with urllib.request.urlopen(f'http://127.0.0.1:{self.at}/manager') as page:
            return 'failure' if 'HcFl' in page.read().decode() else 'success'


lockstep.serve(Apache)
