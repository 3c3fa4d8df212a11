"""pages.py: the pages of rules, cases, bugs and versions."""
import json
import re

import timeline
from markup import Page, link, strip, tag, text
from table import ROOT, covers, spoken, version

UPSTREAM = 'https://github.com/kubernetes/kubernetes'
ROOMS = {'P': 'The prober', 'S': 'The sync loop', 'V': 'Validation', 'D': 'Defaults', 'E': 'Ports and decoding', 'A': 'Admission'}
# What goes in and comes out of cases without a history: side, key, and the words before it.
OUTCOMES = (
    ('given', 'server', 'The server'), ('wanted', 'request', 'It is sent'), ('wanted', 'result', 'The probe is a'),
    ('wanted', 'output', 'with the text'), ('wanted', 'error', 'and the error'), ('wanted', 'gone', 'What is gone then'),
    ('given', 'sandbox', 'The sandbox'), ('given', 'runtime', 'The containers'), ('given', 'results', 'The probes have said'),
    ('wanted', 'does', 'The kubelet does'), ('wanted', 'undecodable', 'It cannot be decoded'), ('wanted', 'errors', 'It is refused for'),
    ('wanted', 'warnings', 'Warnings'), ('wanted', 'stored', 'It is stored as'), ('given', 'port', 'The port'), ('wanted', 'is', 'is'),
    ('wanted', 'invalid', 'is invalid'), ('given', 'recorded', 'Recorded'), ('wanted', 'kept', 'Kept'), ('wanted', 'columns', 'kubectl get pod'),
    ('wanted', 'describe', 'kubectl describe'), ('wanted', 'saw', 'The worker saw'), ('wanted', 'told', 'It told'))
LEVELS = {'observed': 'as observed: others may do otherwise', 'silent': 'not seen from outside'}


def newest(table):
    return table.minors[-1]


def versions_of(table, thing, changes=()):
    words = spoken(thing, newest(table))
    turns = [change for change in changes if change not in (thing['since'], ) and version(change)[0] <= newest(table)]
    told = words + (f'; says something else from {", ".join(turns)}' if turns else '')
    return strip(table.minors, lambda minor: covers(thing, minor), turns, 'Kubernetes 1.x: ' + told) + tag('p', text(told), klass='quiet')


def issues(numbers):
    return ', '.join(link(f'{UPSTREAM}/issues/{number.lstrip("#")}', '#' + number.lstrip('#')) for number in numbers)


def facts(*pairs):
    rows = ''.join(tag('dt', text(name)) + tag('dd', value) for name, value in pairs if value)
    return tag('dl', rows, klass='facts') if rows else ''


def excerpt(place):
    """The code at a place: a row of a table, or a function from its heading to its end."""
    lines = (ROOT / place['file']).read_text(encoding='utf-8').split('\n')
    at = place['line'] - 1
    if place['file'].endswith('.def'):
        last = next(i for i in range(at, len(lines)) if lines[i].rstrip().endswith(')') or '*/' in lines[i])
        return '\n'.join(lines[at:last + 1])
    heading = re.compile(rf'^\w.*\b{re.escape(place["name"])}\b.*[^;]$')
    first = min((i for i, line in enumerate(lines) if heading.match(line)), key=lambda i: abs(i - at), default=at)
    last = next((i for i in range(first, len(lines)) if lines[i].startswith('}')), at)
    first = min(first, at)
    return '\n'.join(lines[first:last + 1]) if last - first <= 80 else '\n'.join(lines[at:at + 20])


def permalink(place):
    tag_name, path, line = place
    return link(f'{UPSTREAM}/blob/{tag_name}/{path}' + (f'#L{line}' if line else ''), f'{path}{":" + line if line else ""}') + text(
        f' at {tag_name}')


def case_list(page, table, names):
    return tag('ul', ''.join(tag('li', page.case(name) + tag('span', text(table.cases[name]['why'])) + tag(
        'span', text(spoken(table.cases[name], newest(table))), klass='quiet')) for name in names), klass='cases')


def rule_page(table, rule):
    name = rule['id']
    page = Page(f'rules/{name}.html', name, rule['sentence'], 'rules/index.html')
    page.add(tag('p', link('index.html', 'Rules') + f' / {text(ROOMS[name[0]])}', klass='crumbs'),
             tag('h1', tag('span', text(name), klass='id') + ' ' + text(rule['sentence'])), versions_of(table, rule, rule['changes']))
    page.add(facts(('In the code', tag('code', text('KP_RULE_' + rule['name']))), ('In Kubernetes', '<br>'.join(map(permalink, table.places.get(name, []))) or text(rule['source'])),
                   ('Named there', text(rule['source']) if table.places.get(name) else ''),
                   ('Issues', issues(rule['issues'])), ('Level', text(LEVELS.get(rule['level'], ''))),
                   ('Standing', text(': '.join(filter(None, (rule['standing'], rule.get('evidence')))))),
                   ('Why no case shows it', text(rule.get('silent', ''))),
                   ('Sure', text({'H': 'read in the source, or measured', 'M': 'read in the source, not measured'}.get(
                       rule['confidence'], rule['confidence'])))))
    if rule['cases']:
        shown = rule['cases'][:40]
        page.add(tag('h2', f'Cases <small>{len(rule["cases"])}</small>'), case_list(page, table, shown))
        if rule['cases'][40:]:
            page.add(tag('details', tag('summary', f'{len(rule["cases"]) - 40} more') + case_list(page, table, rule['cases'][40:])))
    if rule['code']:
        page.add('<h2>In the engine</h2>')
        for place in rule['code']:
            page.add(tag('p', tag('code', text(f'{place["file"]}:{place["line"]}')) + ' ' + text(place['name'])),
                     tag('pre', page.linked(excerpt(place), table.rules), tabindex='0'))
    return page


def rules_index(table):
    page = Page('rules/index.html', 'Rules', 'Every rule of container probes, with its versions', 'rules/index.html')
    page.add('<h1>Rules</h1>', tag('p', f'{len(table.rules)} sentences say what a kubelet does with probes. Each has the versions it '
                                   'holds in, the place in Kubernetes it was read at, and cases that show it.'))
    for letter, room in ROOMS.items():
        of_room = [rule for rule in table.rules.values() if rule['id'][0] == letter]
        items = ''.join(tag('li', page.rule(rule['id']) + tag('span', text(rule['sentence'])) + tag(
            'span', text(spoken(rule, newest(table))), klass='quiet')) for rule in of_room)
        page.add(tag('h2', f'{text(room)} <small>{len(of_room)}</small>', id=letter), tag('ul', items, klass='rules'))
    return page


def trace_part(case, trace):
    body = ''.join(tag('tr', tag('td', text(at)) + tag('td', tag('code', text(words))), klass='given' if is_given else None)
                   for at, words, is_given in timeline.rows(case, trace))
    drawn = timeline.picture(case, trace)
    heading = tag('h3', text(f'Or: {trace["as"]}')) if trace.get('as') else ''
    table_of = tag('table', '<thead><tr><th scope="col">Time<th scope="col">What happens</tr></thead>' + tag('tbody', body)) if body else ''
    return heading + (tag('div', drawn, klass='wide', tabindex='0', role='group', aria_label='Timeline') if drawn else '') + table_of


def value(said):
    """A value of the table in words, a line an entry."""
    if said in ([], {}, ''):
        return tag('span', 'nothing', klass='quiet')
    if isinstance(said, dict):
        return '<br>'.join(tag('code', text(f'{key}: {of if isinstance(of, str) else json.dumps(of)}')) for key, of in said.items())
    if isinstance(said, list):
        return '<br>'.join(map(value, said))
    return tag('code', text(said if isinstance(said, str) else json.dumps(said)))


def outcome(case):
    return facts(*((words, value(case[side][key])) for side, key, words in OUTCOMES if key in case[side]))


def case_page(table, case):
    name = case['id']
    page = Page(f'cases/{name}.html', name, case['why'], 'cases/index.html')
    page.add(tag('p', link('index.html', 'Cases') + ' / ' + link(f'index.html#{case["topic"]}', case['topic']), klass='crumbs'),
             tag('h1', text(name)), tag('p', page.linked(case['why'], {**table.rules, **table.bugs}), klass='lead'), versions_of(table, case))
    gates = ', '.join(f'{gate}={"true" if on else "false"}' for gate, on in case['gates'].items())
    page.add(facts(('Rules', '<br>'.join(page.rule(rule) + ' ' + text(table.rules[rule]['sentence']) for rule in case['rules'])),
                   ('Known bug', '<br>'.join(page.bug(bug) + ' ' + text(table.bugs[bug]['what']) for bug in table.bugs_of.get(name, []))),
                   ('Feature gates', text(gates)), ('Upstream tests', text(', '.join(case['upstream']))),
                   ('Issues', issues(case['issues'])), ('File', tag('code', text(table.files[name]))),
                   ('Play it', tag('code', text(f'probetest run {name}')))))
    traces = case['wanted'].get('traces', [])
    if not traces:
        page.add('<h2>What happens</h2>', tag('div', timeline.brief(case), klass='wide', tabindex='0', role='group', aria_label='Picture'), outcome(case))
    if traces:
        page.add('<h2>What happens</h2>', *(trace_part(case, trace) for trace in traces))
        never = [' '.join(effect['words']) for effect in case['wanted'].get('never', [])]
        if never:
            page.add('<p>Never:</p>', tag('ul', ''.join(tag('li', tag('code', text(words))) for words in never)))
    page.add('<h2>The case</h2>', tag('pre', text(table.texts[name]), tabindex='0'))
    return page


def cases_index(table):
    page = Page('cases/index.html', 'Cases', 'Every case of the table', 'cases/index.html')
    topics = {}
    for case in table.cases.values():
        topics.setdefault(case['topic'], []).append(case)
    page.add('<h1>Cases</h1>', tag('p', f'{len(table.cases)} cases say what an implementation has to do, each on the versions it names. '
                                   'Those that have a history are drawn as a timeline, the others from the question to the answer.'))
    for topic, cases in topics.items():
        page.add(tag('details', tag('summary', f'<b>{text(topic)}</b> <small>{len(cases)}</small> ' + tag(
            'span', text(table.about.get(topic, '')), klass='quiet')) + case_list(
            page, table, [case['id'] for case in cases]), id=topic))
    return page


def bugs_page(table):
    page = Page('bugs.html', 'Known bugs', 'Behaviours of probes that were reported as bugs, with their versions', 'bugs.html')
    page.add('<h1>Known bugs</h1>', '<p>What people have reported as bugs, as Kubernetes has shipped it: with its versions, the reports, '
             'and cases that show it.</p>')
    for bug in table.bugs.values():
        silent = bug['what'].removeprefix('silent: ')
        page.add(tag('section', tag('h2', tag('span', text(bug['id']), klass='id') + ' ' + text(silent)) + versions_of(table, bug) + facts(
            ('Reports', issues(bug['issues'])),
            ('Cases', ', '.join(map(page.case, bug['cases'][:6])) + (f' and {len(bug["cases"]) - 6} more' if bug['cases'][6:] else ''))),
            id=bug['id'], klass='bug'))
    return page


# ---- versions compared ----------------------------------------------------------------------------------


def between(text_, older, newer):
    return bool(text_) and older < version(text_)[0] <= newer


def witnesses(table, rule, older, newer):
    """Cases of a rule that hold on one side alone: (those that are gone, those that are new)."""
    cases = [table.cases[name] for name in rule['cases']]
    return ([case for case in cases if covers(case, older) == 2 and not covers(case, newer)][:3],
            [case for case in cases if covers(case, newer) == 2 and not covers(case, older)][:3])


def when(turns):
    """The releases at which a rule changes; where they are many its own page has them."""
    if len(turns) > 3:
        return f'{len(turns)} times, from {turns[0]} to {turns[-1]}'
    return f'from {", ".join(turns)}' if turns else ''


def change(page, table, rule, older, newer):
    gone, new = witnesses(table, rule, older, newer)
    turns = [turn for turn in dict.fromkeys([rule['since'], *rule['changes']]) if between(turn, older, newer)]
    shown = ''.join(tag('li', tag('b', f'1.{minor}') + ' ' + page.case(case['id']) + tag('span', text(case['why'])))
                    for minor, cases in ((older, gone), (newer, new)) for case in cases)
    sides = tag('details', '<summary>Cases</summary>' + tag('ul', shown), klass='sides') if shown else ''
    return tag('li', page.rule(rule['id']) + tag('span', text(rule['sentence'])) + tag(
        'span', text(when(turns)), klass='quiet') + sides)


def gate_rows(table, older, newer):
    for name, at, rules in table.gates:
        words = {'since': 'is new, off', 'on': 'is on by default', 'locked': 'can no longer be set', 'gone': 'is gone'}
        said = [f'{words[what]} from {at[what]}' for what in words
                if between(at[what], older, newer) and not (what == 'since' and at['since'] == at['on'])]
        if said:
            yield name, '; '.join(said), rules


def comparison(table, older, newer):
    names = f'1.{older}', f'1.{newer}'
    page = Page(f'versions/{names[0]}-to-{names[1]}.html', f'{names[0]} to {names[1]}',
                f'What changes for your probes from Kubernetes {names[0]} to {names[1]}', 'versions/index.html')
    page.add(tag('p', link('index.html', 'Versions'), klass='crumbs'),
             tag('h1', text(f'{names[0]} to {names[1]}: what changes for your probes')))
    rules = sorted(table.rules.values(), key=lambda rule: list(ROOMS).index(rule['id'][0]))
    begun = [rule for rule in rules if between(rule['since'], older, newer) and covers(rule, newer)]
    ended = [rule for rule in rules if covers(rule, older) and not covers(rule, newer)]
    turned = [rule for rule in rules if covers(rule, older) and covers(rule, newer) and any(
        between(turn, older, newer) for turn in rule['changes'])]
    fixed = [bug for bug in table.bugs.values() if covers(bug, older) and not covers(bug, newer)]
    fresh = [bug for bug in table.bugs.values() if covers(bug, newer) and not covers(bug, older)]
    gates = list(gate_rows(table, older, newer))
    said = False
    for title, bugs in (('Bugs that are new', fresh), ('Bugs that are gone', fixed)):
        if bugs:
            said = True
            page.add(tag('h2', title), tag('ul', ''.join(tag('li', page.bug(bug['id']) + tag('span', text(
                bug['what'].removeprefix('silent: '))) + tag('span', text(spoken(bug, newest(table))), klass='quiet')) for bug in bugs),
                klass='rules'))
    for title, group in (('What is done otherwise', turned), ('What is new', begun), ('What is no more', ended)):
        if group:
            said = True
            page.add(tag('h2', f'{title} <small>{len(group)}</small>'),
                     tag('ul', ''.join(change(page, table, rule, older, newer) for rule in group), klass='rules'))
    if gates:
        said = True
        page.add('<h2>Feature gates</h2>', tag('ul', ''.join(tag('li', tag('code', text(name)) + tag('span', text(words)) + tag(
            'span', ' '.join(map(page.rule, rules)))) for name, words, rules in gates), klass='rules'))
    if not said:
        page.add('<p>Nothing that the table knows of.</p>')
    return page


def versions_index(table):
    page = Page('versions/index.html', 'Versions', 'Two Kubernetes versions compared for container probes', 'versions/index.html',
                scripts=('versions.js',))

    def select(name, label, chosen):
        options = ''.join(tag('option', f'1.{minor}', value=f'1.{minor}', selected='' if minor == chosen else None)
                          for minor in reversed(table.minors))
        return tag('label', text(label) + ' ' + tag('select', options, id=name))
    page.add('<h1>Versions compared</h1>', '<p>What an upgrade changes for probes: rules, bugs and gates, with cases on both sides.</p>',
             tag('form', select('older', 'From', newest(table) - 9) + select('newer', 'to', newest(table) - 1) +
                 '<button type="submit">Compare</button><output id="said"></output>', id='compare', klass='line'),
             '<h2>From one minor to the next</h2>')
    items = []
    for older in reversed(table.minors[:-1]):
        newer = older + 1
        count = sum(1 for rule in table.rules.values() if between(rule['since'], older, newer) or any(
            between(turn, older, newer) for turn in rule['changes']))
        items.append(tag('li', link(f'1.{older}-to-1.{newer}.html', f'1.{older} to 1.{newer}') + tag('span', f'{count} rules')))
    page.add(tag('ul', ''.join(items), klass='rules'))
    return page
