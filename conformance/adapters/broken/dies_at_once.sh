# verdict: not-run, exit 4: it ends with code 0 before it has said a word.
exit 0
