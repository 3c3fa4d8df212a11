# places.awk: where each rule stands in the project's own code, as rows PLACE(BELOW_THRESHOLD, "core/prober/worker.c", 157, "kp_worker_count").
#
# Reads core/rules/rules_*.def first, for the names and ids that there are, then sources.  A rule stands where its id does: `P-046` in a
# comment, a text or a row of data, its name, KP_RULE_BELOW_THRESHOLD, in a statement.  The last column is the function, table or macro
# around it, or the function that the comment is about.  One row for a rule and a function, the
# first one; with -v every=1 a row for each line.  Exit code 1: an id that no rule has.

function flush_pending(name,    i, parts) {
    for (i = 1; i <= pending; i++) {
        split(waiting[i], parts, " ")
        put(parts[1], parts[2], name)
    }
    pending = 0
}

function put(rule, line, name) {
    if ((rule, FILENAME, name, every ? line : 0) in seen)
        return
    seen[rule, FILENAME, name, every ? line : 0] = 1
    printf "PLACE(%s, \"%s\", %d, \"%s\")\n", rule, FILENAME, line, name
}

# By id or by name.
function found(word,    rule) {
    rule = word in names ? names[word] : word
    if (!(rule in ids)) {
        print FILENAME ":" FNR ": there is no rule " word > "/dev/stderr"
        bad = 1
    } else if (inside)
        put(rule, FNR, inside)
    else if (macro)
        put(rule, FNR, macro)
    else if (FILENAME ~ /\.def$/)
        put(rule, FNR, row)
    else if (signature)
        put(rule, FNR, name_in(signature))
    else
        waiting[++pending] = rule " " FNR
}

# The last word before ( or [ or =.
function name_in(text) {
    sub(/[\[(=].*/, "", text)
    sub(/[ \t]+$/, "", text)
    sub(/.*[ \t*]/, "", text)
    return text
}

FILENAME ~ /core\/rules\/rules_[a-z]+\.def$/ {
    if (match($0, /^RULE\([A-Z0-9_]+, "[A-Z]-[0-9]+"/)) {
        split(substr($0, 6, RLENGTH - 6), rule, /, "/)
        names[rule[2]] = rule[1]
        ids[rule[1]] = rule[2]
    }
    next
}

FNR == 1 { pending = 0; inside = ""; signature = "" }

# Outside of functions: a line in the first column that is neither comment nor brace begins or goes on with a signature.
!inside && /^[A-Za-z]/ && !/^(enum|struct|union) [a-z_]+ \{/ { if (signature == "") signature = $0 }
/^#define / { signature = ""; macro = $2; sub(/\(.*/, "", macro) }
!/^#define / && !/\\$/ && !was_macro { macro = "" }
{ was_macro = /\\$/ }
/^[A-Z]+\(/ { row = $0; sub(/^[A-Z]+\(/, "", row); sub(/[,)].*/, "", row) }

{
    rest = " " $0 " "
    while (match(rest, /[^A-Za-z0-9_](KP_RULE_[A-Z0-9_]+|[PSDVEA]-[0-9][0-9][0-9])[^0-9A-Za-z_]/)) {
        word = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH - 1)
        sub(/^KP_RULE_/, "", word)
        if (word == "NONE")
            continue
        found(word)
        if (match(rest, /^ ?\.\. ?[PSDVEA]-[0-9][0-9][0-9]/)) # P-035 .. P-037: also what lies between
            for (n = substr(word, 3) + 1; n < substr(rest, RLENGTH - 2, 3) + 0; n++)
                if (sprintf("%s%03d", substr(word, 1, 2), n) in names)
                    found(sprintf("%s%03d", substr(word, 1, 2), n))
    }
}

/^\{/ && signature || /^[a-z].*[{]$/ { inside = name_in(signature); flush_pending(inside) }
/^}/ { inside = ""; signature = "" }
!inside && /;[ \t]*(\/\*.*)?$/ && /^[a-zA-Z ]/ { if (pending) flush_pending(name_in(signature)); signature = "" }
/^#define / && pending { flush_pending(macro) }
/^$/ && !inside { flush_pending(""); signature = "" }

END { exit bad }
