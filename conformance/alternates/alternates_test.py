"""alternates_test.py PROBETEST: what the matrix and its page are made of, and the files that are kept.  Installs and starts nothing
of others."""
import html.parser
import json
import re
import shutil
import subprocess
import sys
import tempfile

import alternates
import page

problems = []


def check(what, right):
    if not right:
        problems.append(what)


def case(name, verdict, why=''):
    return {'case': name, 'verdict': verdict, 'why': why, 'topic': 'contract/a', 'sentence': 'S <b>', 'rules': ['P-001']}


def cells():
    """One sentence's cases, and what becomes of them."""
    good, bad, skip = case('c.1', 'pass'), case('c.2', 'xfail', 'at 1s: <i>'), case('c.3', 'skip', 'it lacks x')
    of = alternates.sentence
    check('all pass', of([good, skip], {}) == {'verdict': 'ok', 'passed': 1, 'judged': 1})
    check('nothing judged', of([skip], {}) == {'verdict': 'not judged', 'why': 'it lacks x'})
    for reason, verdict in (('bug: x', 'bug'), ('by design: x', 'by design'), ('', 'differs')):
        found = of([good, bad], {'c.2': reason})
        check(f'reason {reason!r}', found == {'verdict': verdict, 'passed': 1, 'judged': 2, 'case': 'c.2', 'first': 'at 1s: <i>', 'reason': reason})
    check('a crash', of([case('c.1', 'crash', 'it exited\nlog')], {})['first'] == 'it exited')
    program = {'name': 'x', 'title': 'X & Y', 'what': 'w', 'version': '1', 'licence': 'l', 'source': 's', 'url': 'https://x.example', 'words': {},
               'clock': 'virtual', 'also': {}, 'sentences': {'c': of([good, bad], {'c.2': 'bug: x'})}}
    results = {'k8s': '1.37', 'contract': alternates.contract([good, bad]), 'programs': [program]}
    check('the matrix', 'c                               B' in page.matrix(results))
    written = page.build(results).render('1')
    check('what a program says is text', '<i>' not in written and 'S &lt;b&gt;' in written and 'X &amp; Y' in written)


class Links(html.parser.HTMLParser):
    """Places of a page, and the links to them."""
    def __init__(self, text):
        super().__init__()
        self.ids, self.wanted = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key == 'id':
                self.ids.append(value)
            elif key == 'href' and value.startswith('#'):
                self.wanted.append(value[1:])


def kept(probetest):
    """results.json, the known files and the reports belong together, and to today's contract."""
    results, table = page.load(), alternates.rows()
    names = [row['name'] for row in table]
    check('each program has a result', [program['name'] for program in results['programs']] == names)
    for row in table:
        folder = alternates.HERE / row['name']
        check(f'{row["name"]}: an adapter', (folder / 'adapter.py').exists() or (folder / 'main.go').exists())
        for name, reason in alternates.reasons_of(row['name']).items():
            check(f'{row["name"]}: {name}: a reason', re.match('(bug|by design): .', reason))
            check(f'{row["name"]}: {name}: its report', not reason.startswith('bug:') or (alternates.HERE / reason.split('; ')[-1]).is_file())
    with tempfile.NamedTemporaryFile(suffix='.jsonl') as report:
        subprocess.run([probetest, 'run', '--tier', 'contract', '--k8s', results['k8s'], '--quiet', '--report', report.name], check=True,
                       stdout=subprocess.DEVNULL)
        lines = [json.loads(line) for line in report.read().decode().split('\n') if line][1:-1]
    # Sentences may come after what was judged; one that was judged stays, since an id keeps its meaning.
    today = {sentence['id'] for sentence in alternates.contract(lines)}
    check('each sentence that was judged is one of the contract', {sentence['id'] for sentence in results['contract']} <= today)
    newer = len(today - {sentence['id'] for sentence in results['contract']})
    if newer:
        print(f'alternates: {newer} sentences are newer than results.json: make alternates KEEP=1')
    text = page.matrix(results)
    check('the matrix fits a terminal', all(len(line) <= 100 for line in text.split('\n\n')[1].split('\n')))
    check('twice the same', text == page.matrix(page.load()) and page.build(results).render('1') == page.build(page.load()).render('1'))
    check('no failure without a reason', 'no reason so far' not in text)
    links = Links(page.build(results).render('1'))
    check('each link has its place', not set(links.wanted) - set(links.ids))
    check('each place is one', len(links.ids) == len(set(links.ids)))


def go_library(probetest):
    """A checker of our own in Go, in virtual time: it passes, and one that counts wrongly does not."""
    if not shutil.which('go'):
        print('alternates: no Go here, the library for it is left out')
        return
    with tempfile.TemporaryDirectory() as folder:
        looker = f'{folder}/looker'
        subprocess.run(['go', 'build', '-o', looker, './looker'], cwd=alternates.ROOT / 'conformance' / 'adapters' / 'go', check=True)
        for arguments, code in (([], 0), (['counts'], 1)):
            done = subprocess.run([probetest, 'run', '--k8s', '1.37', '--quiet', '--require', 'probe', '--not', alternates.AROUND, '--', looker, *arguments],
                                  capture_output=True, text=True, check=False)
            check(f'the Go library, {arguments}: exit code {code}', done.returncode == code)


cells()
kept(sys.argv[1])
go_library(sys.argv[1])
for problem in problems:
    print(f'alternates: {problem}: not so')
print(f'{"0 passed, " + str(len(problems)) + " failed" if problems else "alternates: 1 passed, 0 failed"}')
sys.exit(1 if problems else 0)
