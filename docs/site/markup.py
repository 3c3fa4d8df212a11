"""markup.py: what every page is made of.  Whatever comes from the table goes through `text` or an attribute of `tag`.

REPOSITORY of the environment, https://HOST/OWNER/NAME, is where the pages lead for source and packages.
"""
import os
import re
from html import escape

CSP = "default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'"
NAVIGATION = (('playground.html', 'Playground'), ('rules/index.html', 'Rules'), ('cases/index.html', 'Cases'),
              ('bugs.html', 'Known bugs'), ('versions/index.html', 'Versions'), ('alternates.html', 'Side by side'))


def text(words):
    return escape(str(words), quote=False)


def tag(name, content='', **attributes):
    """<name attribute="...">content</name>; content is markup, `klass` stands for class, `_` for -."""
    said = ''.join(f' {"class" if key == "klass" else key.replace("_", "-")}="{escape(str(value))}"'
                   for key, value in attributes.items() if value is not None)
    return f'<{name}{said}>{content}</{name}>'


def link(href, words, **attributes):
    return tag('a', text(words), href=href, **attributes)


def source():
    """A link to the repository, where the environment names one."""
    return link(os.environ['REPOSITORY'], 'Source and packages') if os.environ.get('REPOSITORY') else ''


class Page:
    """One page: where it stands (its folder's depth gives all links), its title, its description and its content."""

    def __init__(self, path, title, about, current='', csp=CSP, scripts=()):
        self.path, self.title, self.about, self.current, self.csp, self.scripts = path, title, about, current, csp, scripts
        self.root = '../' * path.count('/')
        self.parts = []

    def add(self, *markup):
        self.parts += markup

    def rule(self, rule, words=None):
        return link(f'{self.root}rules/{rule}.html', words or rule, klass='id')

    def case(self, case):
        return link(f'{self.root}cases/{case}.html', case)

    def bug(self, bug):
        return link(f'{self.root}bugs.html#{bug}', bug, klass='id')

    def linked(self, words, known):
        """Text in which the ids of rules and bugs that are known are links."""
        pieces = re.split(r'\b([PSDVEA]-\d{3}|K-\d{2})\b', words)
        return ''.join(text(piece) if i % 2 == 0 or piece not in known else self.bug(piece) if piece[0] == 'K' else self.rule(piece)
                       for i, piece in enumerate(pieces))

    def render(self, version):
        links = ''.join(tag('li', link(self.root + href, name, aria_current='page' if href == self.current else None))
                        for href, name in NAVIGATION)
        search = '' if self.path == 'search.html' else (
            tag('form', '<input type="search" name="q" aria-label="Search fields, rules and cases" placeholder="Search">',
                action=f'{self.root}search.html', role='search'))
        scripts = ''.join(f'<script src="{self.root}{script}" defer></script>' for script in self.scripts)
        return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
                f'<meta http-equiv="Content-Security-Policy" content="{self.csp}">'
                '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
                '<meta name="referrer" content="no-referrer">'
                f'<title>{text(self.title)} · probetest</title><meta name="description" content="{escape(self.about)}">'
                f'<link rel="icon" href="{self.root}icon.svg"><link rel="stylesheet" href="{self.root}style.css">{scripts}</head>\n'
                '<body><a class="skip" href="#main">To the content</a>'
                f'<header><a class="brand" href="{self.root}index.html">probetest</a>'
                f'<nav aria-label="Pages"><ul>{links}</ul></nav>{search}</header>\n'
                f'<main id="main">{"".join(self.parts)}</main>\n'
                f'<footer><p>probetest {text(version)}. Apache-2.0. {source() and source() + ". "}{link(self.root + "about.html", "What is in this site")}.</p></footer>'
                '</body></html>\n')


def strip(minors, covered, changes=(), label=''):
    """The versions as a row of cells: covered(minor) is 2 (all of it), 1 (some patch releases) or 0."""
    cells = []
    for minor in minors:
        kind = ('off', 'part', 'on')[covered(minor)]
        turned = ' turn' if any(change.split('.')[1] == str(minor) for change in changes) else ''
        cells.append(tag('span', str(minor), klass=f'{kind}{turned}'))
    return tag('div', ''.join(cells), klass='strip', role='img', aria_label=label)
