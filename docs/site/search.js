// Full-text search in search-index.js: every word must be found; ids and titles count most.
'use strict';

const SHOWN_MAX = 60;
const KINDS = { rule: 3, bug: 3, page: 2, case: 0 };
const box = document.getElementById('q');

const folded = text => text.toLowerCase();
for (const entry of SEARCH_INDEX)
    entry.all = folded(`${entry.t} ${entry.w} ${entry.f ?? ''}`);

/** 0: a word is missing.  A word that begins one counts more than one inside. */
function score(entry, words) {
    let sum = KINDS[entry.k];
    for (const word of words) {
        const at = entry.all.indexOf(word);
        if (at < 0)
            return 0;
        const begins = at === 0 || !/[a-z0-9]/.test(entry.all[at - 1]);
        sum += (begins ? 4 : 1) + (folded(entry.t) === word ? 20 : 0) + (folded(entry.w).includes(word) ? 2 : 0);
    }
    return sum;
}

function search() {
    const words = folded(box.value).split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : SEARCH_INDEX.map(entry => [score(entry, words), entry]).filter(([sum]) => sum > 0)
        .sort(([a], [b]) => b - a);
    document.getElementById('count').textContent = words.length === 0 ? ''
        : `${found.length} found` + (found.length > SHOWN_MAX ? `, the first ${SHOWN_MAX} of them shown` : '');
    document.getElementById('found').replaceChildren(...found.slice(0, SHOWN_MAX).map(([, entry]) => {
        const item = document.createElement('li');
        const link = document.createElement('a');
        link.href = entry.u;
        link.textContent = entry.t;
        const about = document.createElement('span');
        about.textContent = entry.w;
        item.append(link, about);
        return item;
    }));
}

box.value = new URLSearchParams(location.search).get('q') ?? '';
box.addEventListener('input', search);
document.getElementById('search').addEventListener('submit', event => event.preventDefault());
search();
