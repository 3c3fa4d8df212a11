"""page.py: results.json as a matrix of text, and as a page."""
import json
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
SITE = HERE.parent.parent / 'docs' / 'site'
sys.path.insert(0, str(SITE))
from markup import Page, link, tag, text  # noqa: E402  pylint: disable=wrong-import-position

MARKS = {'ok': '+', 'by design': 'd', 'bug': 'B', 'differs': '!', 'not judged': '.'}
CELLS = {'ok': ('yes', 'good', 'does it'), 'by design': ('own', 'design', 'differs by design'), 'bug': ('bug', 'bad', 'a bug'),
         'differs': ('differs', 'bad', 'differs'), 'not judged': ('·', 'none', 'not judged')}
LEGEND = '+ does it   d differs by design   B a bug   ! differs, without a reason so far   . not judged'


def load():
    return json.loads((HERE / 'results.json').read_text(encoding='utf-8'))


def of(program, sentence):
    return program['sentences'].get(sentence['id'], {'verdict': 'not judged', 'why': 'it is not its own'})


def shown(results):
    """The sentences that some program is judged by."""
    return [s for s in results['contract'] if any(of(p, s)['verdict'] != 'not judged' for p in results['programs'])]


def counts(program):
    verdicts = [cell['verdict'] for cell in program['sentences'].values()]
    return [sum(v == kind for v in verdicts) for kind in ('ok', 'by design', 'bug', 'differs')]


def matrix(results):
    """Sentences down, programs across, at most 100 columns wide; then each first divergence."""
    programs, lines, topic = results['programs'], [], ''
    for i, program in enumerate(programs):
        good, design, bug, other = counts(program)
        said = ', '.join(f'{n} {word}' for n, word in ((good, 'fine'), (design, 'by design'), (bug, 'bug' if bug == 1 else 'bugs'), (other, 'unexplained')) if n)
        lines.append(f'{chr(97 + i)}  {program["title"]} {program["version"]} ({program["clock"]}): {said}')
    lines += ['', ' ' * 34 + ' '.join(chr(97 + i) for i in range(len(programs)))]
    for sentence in shown(results):
        if sentence['topic'] != topic:
            topic = sentence['topic']
            lines.append(topic)
        lines.append(f'  {sentence["id"].removeprefix("contract-"):<32}' + ' '.join(MARKS[of(p, sentence)['verdict']] for p in programs))
    lines += ['', LEGEND]
    for program in programs:
        for key, cell in program['sentences'].items():
            if cell['verdict'] in ('by design', 'bug', 'differs'):
                lines += ['', f'{program["name"]}: {cell["case"]}', f'  {cell["first"]}', f'  {cell["reason"] or "no reason so far"}']
    return '\n'.join(lines)


def cell_of(program, sentence):
    cell = of(program, sentence)
    word, kind, long = CELLS[cell['verdict']]
    words = f'{program["title"]}: {long}' + (f', {cell["passed"]} of {cell["judged"]} cases' if 'judged' in cell else '')
    anchor = f'#{program["name"]}-{sentence["id"]}'
    content = tag('a', text(word), href=anchor) if 'first' in cell else text(word)
    return tag('td', tag('span', content, klass=f'v {kind}'), title=f'{words}. {cell.get("first") or cell.get("why") or ""}'.strip())


def table_of(results):
    programs = results['programs']
    head = tag('tr', '<th scope="col">The contract says</th>' + ''.join(
        tag('th', tag('a', text(p['title']), href=f'#{p["name"]}'), scope='col') for p in programs))
    body, topic = '', ''
    for sentence in shown(results):
        if sentence['topic'] != topic:
            topic = sentence['topic']
            body += tag('tr', tag('th', text(topic), scope='rowgroup', colspan=str(len(programs) + 1)), klass='family')
        body += tag('tr', tag('th', text(sentence['sentence']), scope='row') + ''.join(cell_of(p, sentence) for p in programs))
    total = tag('tr', '<th scope="row">cases: as the contract says, of those judged</th>' + ''.join(
        tag('td', f'{sum(c.get("passed", 0) for c in p["sentences"].values())} of {sum(c.get("judged", 0) for c in p["sentences"].values())}')
        for p in programs))
    return tag('div', tag('table', tag('thead', head) + tag('tbody', body) + tag('tfoot', total), klass='beside'), klass='wide', tabindex='0',
               role='region', aria_label='Programs side by side')


def reason_of(cell):
    kind, _, words = cell['reason'].partition(': ')
    return (f'{kind[0].upper()}{kind[1:]}: ' if words else '') + (words or cell['reason'] or 'No reason so far.')


def section(program, sentences):
    facts = [('Version', program['version']), ('Licence', program['licence']), ('Had from', program['source']),
             ('Judged', {'lock step': 'as a process, in lock step: its own timers are not judged', 'virtual': 'its own code and timers, in virtual time',
                         'real': 'as a process, one real attempt a case'}[program['clock']])]
    facts += [(key, value) for key, value in program['words'].items()]
    out = tag('h2', link(program['url'], program['title']) + ' ' + tag('small', text(program['what'])), id=program['name'])
    out += tag('dl', ''.join(tag('dt', text(k)) + tag('dd', text(v)) for k, v in facts), klass='facts')
    wrong = [s for s in sentences if 'first' in of(program, s)]
    items = ''
    for s in wrong:
        cell = of(program, s)
        items += tag('li', tag('span', CELLS[cell['verdict']][0], klass=f'v {CELLS[cell["verdict"]][1]}') + ' ' + text(s['sentence']) + '<br>'
                     + tag('code', text(cell['first'])) + '<br>' + tag('span', text(reason_of(cell)), klass='quiet'),
                     id=f'{program["name"]}-{s["id"]}')
    out += tag('ul', items, klass='differs') if wrong else tag('p', 'All that it was judged by it does as the contract says.')
    if program['also']:
        rows = ''.join(tag('tr', tag('th', text(topic), scope='row') + tag('td', f'{t["passed"]} of {t["judged"]}')
                           + tag('td', tag('code', text(f'{t["case"]}: {t["first"]}')) if 'first' in t else ''))
                       for topic, t in program['also'].items())
        out += tag('details', '<summary>Beyond the contract: what all kubelets do, and nothing promises</summary>' + tag('div', tag(
            'table', '<thead><tr><th scope="col">Topic</th><th scope="col">Alike</th><th scope="col">First divergence</th></tr></thead>'
            + tag('tbody', rows)), klass='wide', tabindex='0', role='region', aria_label=f'{program["title"]} beyond the contract'))
    return out


def most_first(programs):
    """Those that are judged by most come first: on a narrow screen a reader sees them alone."""
    return sorted(programs, key=lambda program: -sum(cell.get('judged', 0) for cell in program['sentences'].values()))


def build(results):
    """The page, for the site or alone."""
    results = {**results, 'programs': most_first(results['programs'])}
    made = Page('alternates.html', 'Judged as shipped', 'Real programs with health checks, side by side, against the contract of probes', 'alternates.html')
    made.add('<h1>Judged as shipped</h1>',
             tag('p', f'{len(results["programs"])} programs that check health, as their users get them, beside what Kubernetes\' documentation '
                 f'promises of probes ({results["k8s"]}). Each is told what a probe says in its own words; where it has none, it is not '
                 'judged. None of them claims to be a kubelet: this says what to expect, not which is better.', klass='lead'),
             tag('p', 'Made by <code>make alternates KEEP=1</code>. ' + ' '.join(
                 tag('span', text(word), klass=f'v {kind}') + f' {text(long)}' for word, kind, long in CELLS.values() if word != 'differs')),
             table_of(results), *(section(program, shown(results)) for program in results['programs']))
    return made


def write(results, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ('style.css', 'icon.svg'):
        shutil.copy(SITE / name, folder / name)
    (folder / 'alternates.html').write_text(build(results).render('from this tree'), encoding='utf-8')
