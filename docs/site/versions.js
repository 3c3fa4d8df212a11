// The form of versions/index.html leads to the page of the two that are chosen.
'use strict';

document.getElementById('compare').addEventListener('submit', event => {
    event.preventDefault();
    const minors = ['older', 'newer'].map(id => document.getElementById(id).value)
        .sort((a, b) => Number(a.slice(2)) - Number(b.slice(2)));
    if (minors[0] === minors[1])
        document.getElementById('said').textContent = 'Choose two different versions.';
    else
        location.href = `${minors[0]}-to-${minors[1]}.html`;
});
