"""build.py WASM SITE: writes the site.  WASM is the folder with probetest.wasm; SITE is made anew."""
import base64
import gzip
import json
import pathlib
import re
import shutil
import sys

sys.path.append(str(pathlib.Path(__file__).parent.parent.parent / 'conformance' / 'alternates'))
import page as alternates
import pages
import table as tables
from markup import Page, link, source, tag, text

HERE = pathlib.Path(__file__).parent
COPIED = ('style.css', 'icon.svg', 'playground.js', 'search.js', 'versions.js')
PLAYGROUND_CSP = ("default-src 'none'; style-src 'self'; img-src 'self' blob:; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; "
                  "form-action 'self'; base-uri 'none'")
# What the playground asks beside the versions: option of `simulate`, label, example of a value.
OPTIONS = (('--starts-in', 'It starts in', '90s'), ('--hangs-at', 'It hangs at', '10m'), ('--answers-in', 'It answers in', '1.2s'),
           ('--down-for', 'It is down for', '20s'),
           ('--stops-in', 'It stops in', '45s'), ('--traffic-for', 'After its deletion requests come for', '10s'), ('--for', 'Play for', '20m'))


def script(value):
    """JSON that may stand in a script."""
    return json.dumps(value, ensure_ascii=True)


def examples():
    """The pods of the playground, each with what happens to it: examples.json."""
    for example in json.loads((HERE / 'examples.json').read_text(encoding='utf-8')):
        pod = (tables.ROOT / example['file']).read_text(encoding='utf-8')
        yield {**example, 'pod': re.sub(r'^#>.*\n', '', pod, flags=re.MULTILINE)}  # what a test expects of it


def engine(wasm):
    """The command and the worker that runs it as a script: neither a page of file: nor a strict policy lets one be fetched."""
    packed = gzip.compress((wasm / 'probetest.wasm').read_bytes(), 9, mtime=0)
    return (f'const PROBETEST_WASM = "{base64.b64encode(packed).decode()}";\n'
            f'const PROBETEST_WORKER = {script((HERE / "worker.js").read_text(encoding="utf-8"))};\n'
            f'const PROBETEST_EXAMPLES = {script(list(examples()))};\n')


def playground(table):
    page = Page('playground.html', 'Playground', 'When is your pod killed, and why: the engine in your browser', 'playground.html',
                PLAYGROUND_CSP, ('engine.js', 'playground.js'))
    help_text = tables.said('simulate', '--help')
    options = ''.join(tag('label', text(label) + f' <input id="{option[2:]}" data-option="{option}" placeholder="{example}" size="6" '
                          'autocomplete="off">') for option, label, example in OPTIONS)
    options += ('<label class="whole">Or what its probes answer <input id="answers" data-option="--answers" '
                'placeholder="web/liveness: success until 60s, failure" autocomplete="off"></label>')
    usual = re.search(r'--k8s LIST.*?\((1\.\d+):', help_text, re.DOTALL).group(1)

    def versions(chosen=None):
        return ''.join(tag('option', name, value=name, selected='' if name == chosen else None)
                       for name in (f'1.{minor}' for minor in reversed(table.minors)))
    filled = {'EXAMPLES': ''.join(tag('option', text(example['name']), value=i) for i, example in enumerate(examples())),
              'K8S': versions(usual), 'BESIDE': versions(), 'OPTIONS': options}
    page.add(re.sub(r'@(\w+)@', lambda name: filled[name.group(1)], (HERE / 'playground.html').read_text(encoding='utf-8')))
    return page


def home(table):
    page = Page('index.html', 'Kubernetes container probes, executable', 'What a kubelet does with probes, to the millisecond', 'index.html')
    filled = {'SOURCE': source(), 'RULES': str(len(table.rules)), 'CASES': str(len(table.cases)), 'BUGS': str(len(table.bugs)),
              'OLDEST': f'1.{table.minors[0]}', 'NEWEST': f'1.{table.minors[-1]}', 'ANSWER': page.linked(tables.said(
                  'simulate', 'conformance/examples/liveness-exec.yaml').rstrip(), table.rules)}
    page.add(re.sub(r'@(\w+)@', lambda name: filled[name.group(1)], (HERE / 'home.html').read_text(encoding='utf-8')))
    return page


def about(table):
    page = Page('about.html', 'What is in this site', 'Versions and licences of what this site is made of')
    page.add('<h1>What is in this site</h1>', tag('p', f'It was made by <code>make site</code> from probetest {text(table.version)}, '
             f'whose table has the hash <code class="hash">{table.suite}</code>. Nothing of it asks another server.'),
             '<p>The playground is the command, compiled to WebAssembly. In it are:</p><ul>'
             '<li>probetest: Apache-2.0</li><li>libyaml 0.2.5 by Kirill Simonov and Ingy döt Net: MIT</li>'
             '<li>wasi-libc with musl: MIT, Apache-2.0 with LLVM exception, BSD-2-Clause</li>'
             '<li>compiler-rt of LLVM: Apache-2.0 with LLVM exception</li></ul>'
             '<p>Its results are the bytes that the command writes for the same file and options; <code>make check-site</code> compares them.</p>')
    return page


def search(table):
    page = Page('search.html', 'Search', 'Search rules, bugs and cases', 'search.html', scripts=('search-index.js', 'search.js'))
    page.add('<h1>Search</h1><form id="search" role="search"><label for="q">Words, fields or ids</label> '
             '<input type="search" id="q" name="q" autocomplete="off"></form><p id="count" role="status"></p><ul id="found" class="rules"></ul>'
             '<noscript><p>Search needs JavaScript; <a href="rules/index.html">all rules</a> are on one page.</p></noscript>')
    return page


def fields(words):
    """The API's field names in a text, each once: camelCase words."""
    return ' '.join(sorted(set(re.findall(r'\b[a-z]+(?:[A-Z][a-zA-Z]+)+\b', words))))


def search_index(table):
    entries = [{'k': 'rule', 'u': f'rules/{rule["id"]}.html', 't': rule['id'], 'w': rule['sentence'],
                'f': ' '.join([rule['name'], rule['source'], *rule['issues']])} for rule in table.rules.values()]
    entries += [{'k': 'bug', 'u': f'bugs.html#{bug["id"]}', 't': bug['id'], 'w': bug['what'], 'f': ' '.join(bug['issues'])}
                for bug in table.bugs.values()]
    entries += [{'k': 'case', 'u': f'cases/{name}.html', 't': name, 'w': case['why'], 'f': fields(table.texts[name])}
                for name, case in table.cases.items()]
    entries += [{'k': 'page', 'u': f'versions/1.{minor}-to-1.{minor + 1}.html', 't': f'1.{minor} to 1.{minor + 1}',
                 'w': 'what changes for your probes, versions compared, upgrade'} for minor in table.minors[:-1]]
    return f'const SEARCH_INDEX = {script(entries)};\n'


def all_pages(table):
    yield from (home(table), playground(table), about(table), search(table), pages.bugs_page(table), pages.rules_index(table),
                pages.cases_index(table), pages.versions_index(table),
                alternates.build(alternates.load()))
    yield from (pages.rule_page(table, rule) for rule in table.rules.values())
    yield from (pages.case_page(table, case) for case in table.cases.values())
    yield from (pages.comparison(table, older, newer) for older in table.minors for newer in table.minors if older < newer)


def main(wasm, site):
    table = tables.load()
    shutil.rmtree(site, ignore_errors=True)
    for folder in ('rules', 'cases', 'versions'):
        (site / folder).mkdir(parents=True)
    for name in COPIED:
        shutil.copy(HERE / name, site / name)
    (site / 'engine.js').write_text(engine(wasm), encoding='utf-8')
    (site / 'search-index.js').write_text(search_index(table), encoding='utf-8')
    count = 0
    for count, page in enumerate(all_pages(table), 1):
        # The home page last: make takes its time as the site's.
        if page.path != 'index.html':
            (site / page.path).write_text(page.render(table.version), encoding='utf-8')
    (site / 'index.html').write_text(home(table).render(table.version), encoding='utf-8')
    print(f'{site}/index.html: {count} pages')


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit('usage: build.py WASM SITE')
    main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
