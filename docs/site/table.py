"""table.py: the rules, bugs, cases and gates as the site shows them, out of `probetest export`, `show` and core/rules."""
import json
import pathlib
import re
import subprocess
from dataclasses import dataclass, field

import yaml

ROOT = pathlib.Path(__file__).parent.parent.parent
PROBETEST = ROOT / 'build/probetest'


def version(text):
    """(minor, patch) of "1.35.4"; a minor alone begins at its patch 0."""
    parts = [int(part) for part in text.split('.')]
    return parts[1], parts[2] if len(parts) > 2 else 0


def said(*args):
    return subprocess.run([PROBETEST, *args], check=True, capture_output=True, cwd=ROOT).stdout.decode()


@dataclass
class Table:
    """All that the pages speak of.

    rules, bugs, cases: by id, as `probetest export` describes them (conformance/schema/export.*.json).
    texts:    of each case, what `probetest show` says below its heading.
    files:    of each case, "conformance/cases/liveness.yaml:5".
    about:    of each topic, "probe/liveness", what its file says that it is about.
    places:   of each rule, [(tag, path, line or None)] in Kubernetes.
    gates:    [(name, {since, on, locked, gone: "1.34" or None}, [rule])].
    minors:   [15, ... 37].
    """
    rules: dict
    bugs: dict
    cases: dict
    texts: dict
    files: dict
    about: dict
    places: dict
    gates: list
    minors: list
    version: str
    suite: str
    bugs_of: dict = field(default_factory=dict)


def shown():
    """Text and file of each case, by id."""
    texts, files = {}, {}
    for block in re.split(r'\n\n(?=\S)', said('show', '.')):
        name, _, rest = block.partition('\n')
        heading, _, text = rest.partition('\n\n')[2].partition('\n\n')
        texts[name.strip()] = re.sub(r'^    ', '', text.rstrip('\n'), flags=re.MULTILINE)
        files[name.strip()] = re.search(r'^  file +(\S+)$', heading, re.MULTILINE).group(1)
    return texts, files


def about():
    """What each file of cases says of itself, by its topic."""
    folder = ROOT / 'conformance/cases'
    heads = {path: re.match(r'(?s)about:.*?\n(?=\w)', path.read_text(encoding='utf-8')) for path in folder.glob('*/*.yaml')}
    return {str(path.relative_to(folder).with_suffix('')): yaml.safe_load(head[0])['about'].strip() for path, head in heads.items() if head}


def places():
    found = {}
    for row in (pathlib.Path(__file__).parent / 'places.tsv').read_text(encoding='utf-8').splitlines():
        rule, tag, path, line = row.split('\t')
        found.setdefault(rule, []).append((tag, path, line))
    return found


def gates():
    text = (ROOT / 'core/rules/gates.def').read_text(encoding='utf-8')
    rows = re.findall(r'^GATE\((\w+), *"([^"]*)", *(.*)\)', text, re.MULTILINE)
    return [(name, dict(zip(('since', 'on', 'locked', 'gone'),
                            (f'1.{at}' if at else None for at in re.findall(r'V\((\d+), \d+\)|NONE', boundaries)))), rules.split())
            for name, rules, boundaries in rows]


def load():
    rules = json.loads(said('export', '--rules', '-f', 'json'))
    lines = [json.loads(line) for line in said('export').split('\n') if line]
    texts, files = shown()
    cases = {case['id']: case for case in lines[1:]}
    missing = [name for name in cases if name not in texts]
    if missing:
        raise SystemExit(f'site: `probetest show` does not show {missing[0]}')
    table = Table(rules={rule['id']: rule for rule in rules['rules']}, bugs={bug['id']: bug for bug in rules['bugs']}, cases=cases,
                  texts=texts, files=files, about=about(), places=places(), gates=gates(), minors=minors(cases), version=lines[0]['probetest'],
                  suite=lines[0]['suite'])
    for bug in table.bugs.values():
        for case in bug['cases']:
            table.bugs_of.setdefault(case, []).append(bug['id'])
    return table


def minors(cases):
    return list(range(min(version(case['since'])[0] for case in cases.values()),
                      max(version(case['until'])[0] for case in cases.values()) + 1))


def covers(thing, minor):
    """How much of a minor a rule, bug or case speaks of: 2 all of it, 1 some patch releases, 0 none."""
    since, until = version(thing['since']), thing.get('until') or '1.999'
    last = version(until) if until.count('.') == 2 else (version(until)[0], 999)
    if minor < since[0] or minor > last[0]:
        return 0
    for hole in thing.get('except', []):
        if version(hole['since'])[0] <= minor <= version(hole['until'])[0]:
            return 1 if hole['since'].count('.') == 2 or hole['until'].count('.') == 2 else 0
    return 1 if (minor == since[0] and since[1] > 0) or (minor == last[0] and last[1] < 999) else 2


def spoken(thing, newest):
    """Its versions in words."""
    until = thing.get('until')
    since = thing['since']
    if not until or version(until)[0] == newest and until.count('.') == 1:
        text = 'all versions' if since == '1.15' else f'{since} and later'
    elif since == '1.15':
        text = f'up to {until}'
    else:
        text = since if since == until else f'{since} to {until}'
    return text + ''.join(', not ' + besides(hole['since'], hole['until']) for hole in thing.get('except', []))


def besides(since, until):
    """A hole in words; one that lasts to the end of its minor begins somewhere in it."""
    if since == until:
        return since
    return f'{until} from {since} on' if since.startswith(until + '.') else f'{since} to {until}'
