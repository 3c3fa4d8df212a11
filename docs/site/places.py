"""places.py: where each rule's source stands in Kubernetes, written to docs/site/places.tsv.

Each rule names its source as a file and functions ("worker.go doProbe").  This looks them up in the Go modules of the
release that the rule holds in last (conformance/oracle/releases), which `go mod download` fetches.  Run it again when a
rule or a release is new: python3 docs/site/places.py.
"""
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
# The staging modules that rules speak of, and where they stand in Kubernetes' own tree.
STAGING = ('apimachinery', 'apiserver', 'kubectl', 'client-go', 'component-base', 'cri-client')
# Where one name is that of several files, the first of these that has it is meant.
FOLDERS = (
    'pkg/kubelet/prober', 'pkg/kubelet/prober/results', 'pkg/probe', 'pkg/probe/http', 'pkg/probe/exec', 'pkg/probe/tcp',
    'pkg/probe/grpc', 'pkg/kubelet/kuberuntime', 'pkg/kubelet', 'pkg/kubelet/status', 'pkg/kubelet/pleg',
    'pkg/kubelet/container', 'pkg/kubelet/images', 'pkg/kubelet/util/queue', 'pkg/kubelet/types', 'pkg/api/v1/pod', 'pkg/api/pod',
    'pkg/apis/core/validation', 'pkg/apis/core/v1', 'plugin/pkg/admission/podpreset', 'pkg/kubelet/lifecycle',
    'pkg/kubelet/events', 'pkg/printers/internalversion', 'pkg/kubelet/cri/remote', 'pkg/kubelet/remote',
    'staging/src/k8s.io/cri-client/pkg', 'staging/src/k8s.io/client-go/util/flowcontrol',
    'staging/src/k8s.io/client-go/tools/record', 'staging/src/k8s.io/client-go/tools/reference',
    'staging/src/k8s.io/kubectl/pkg/describe', 'staging/src/k8s.io/apimachinery/pkg/util/validation',
    'staging/src/k8s.io/apimachinery/pkg/api/validation', 'staging/src/k8s.io/apimachinery/pkg/util/intstr',
    'staging/src/k8s.io/apimachinery/pkg/runtime/serializer/json', 'staging/src/k8s.io/apimachinery/pkg/util/json',
    'staging/src/k8s.io/apimachinery/pkg/util/yaml',
)


def module_folder(module, version):
    """The unpacked Go module, or None where there is none of that version."""
    got = subprocess.run(['go', 'mod', 'download', '-json', f'{module}@v{version}'], capture_output=True, text=True, check=False,
                         cwd='/')
    try:
        return pathlib.Path(json.loads(got.stdout)['Dir'])
    except (ValueError, KeyError):
        return None


class Release:
    """The files of one release: Kubernetes' path to the file here."""

    def __init__(self, patch):
        self.tag = 'v' + patch
        self.trees = {'': module_folder('k8s.io/kubernetes', patch)}
        for name in STAGING:
            tree = module_folder('k8s.io/' + name, '0' + patch.removeprefix('1'))
            if tree:
                self.trees[f'staging/src/k8s.io/{name}/'] = tree
        if not self.trees['']:
            sys.exit(f'places: k8s.io/kubernetes v{patch} cannot be had')

    def find(self, path):
        prefix = max((p for p in self.trees if path.startswith(p)), key=len)
        file = self.trees[prefix] / path.removeprefix(prefix)
        return file if file.is_file() else None


def line_of(text, function):
    """The line on which a function, method (type.Method) or other name is declared, or None."""
    of, _, name = function.rpartition('.')
    receiver = rf'\(\w+ \*?{of}\) ' if of else r'(?:\([^)]*\) )?'
    for pattern in (rf'^func {receiver}{name}\b', rf'^(?:type|var|const) {name}\b', rf'^\t{name}\b[^(\n]*='):
        found = re.search(pattern, text, re.MULTILINE)
        if found:
            return text.count('\n', 0, found.start()) + 1
    return None


def places(source):
    """("worker.go", ["doProbe"]) for each file of "worker.go newWorker, stop; http.go Probe"."""
    for part in re.findall(r'[\w/.-]+\.go[^;]*?(?=,? [\w/.-]+\.go|;|$)', source):
        file, _, functions = part.strip(' ,').partition(' ')
        yield file, [word for word in re.split(r',\s*|\s+and\s+', functions) if re.fullmatch(r'[\w.]+', word)]


def look_up(release, file, functions):
    folders = [file.rpartition('/')[0]] if '/' in file else FOLDERS
    base = file.rpartition('/')[2]
    without = []
    for folder in folders:
        found = release.find(f'{folder}/{base}')
        if not found:
            continue
        text = found.read_text(encoding='utf-8')
        lines = [line for line in (line_of(text, function) for function in functions) if line]
        if lines:
            return f'{folder}/{base}', lines[0]
        without.append(f'{folder}/{base}')
    return (without[0] if len(without) == 1 else None), None


def main():
    releases = dict(line.split()[:2] for line in (ROOT / 'conformance/oracle/releases').read_text(encoding='utf-8').splitlines()
                    if line and line[0].isdigit())
    rules = json.loads(subprocess.run([ROOT / 'build/probetest', 'export', '--rules', '-f', 'json'], check=True,
                                      capture_output=True).stdout)['rules']
    had, rows, missing = {}, set(), []
    for rule in rules:
        until = rule.get('until') or list(releases)[-1]
        patch = releases.get(until, until)
        release = had.get(patch) or had.setdefault(patch, Release(patch))
        for file, functions in places(rule['source']):
            path, line = look_up(release, file, functions)
            if path:
                rows.add(f'{rule["id"]}\t{release.tag}\t{path}\t{line or ""}')
            else:
                missing.append(f'{rule["id"]} {release.tag} {file}')
    (HERE / 'places.tsv').write_text('\n'.join(sorted(rows)) + '\n', encoding='utf-8')
    print(f'{len(rows)} places, {sum(row.endswith(chr(9)) for row in rows)} of them without a line')
    print(*missing, sep='\n')


if __name__ == '__main__':
    main()
