# places.awk: where each rule stands in the project's own code, as rows PLACE(P046, "core/prober/worker.c", 157, "kp_worker_count").
#
# Reads core/rules/rules_*.def first, for the ids that there are, then sources.  A rule stands where its id does: `P-046` in a
# comment, a text or a row of data, KP_P046 in a statement.  The name is that of the function, table or macro around it,
# or of the function that the comment is about.  One row for a rule and a name, the
# first one; with -v every=1 a row for each line.  Exit code 1: an id that no rule has.

function flush_pending(name,    i, parts) {
    for (i = 1; i <= pending; i++) {
        split(waiting[i], parts, " ")
        put(parts[1], parts[2], name)
    }
    pending = 0
}

function put(id, line, name) {
    if ((id, FILENAME, name, every ? line : 0) in seen)
        return
    seen[id, FILENAME, name, every ? line : 0] = 1
    printf "PLACE(%s, \"%s\", %d, \"%s\")\n", id, FILENAME, line, name
}

function found(id) {
    if (!(id in known)) {
        print FILENAME ":" FNR ": there is no rule " substr(id, 1, 1) "-" substr(id, 2) > "/dev/stderr"
        bad = 1
    } else if (inside)
        put(id, FNR, inside)
    else if (macro)
        put(id, FNR, macro)
    else if (FILENAME ~ /\.def$/)
        put(id, FNR, row)
    else if (signature)
        put(id, FNR, name_in(signature))
    else
        waiting[++pending] = id " " FNR
}

# The last word before ( or [ or =.
function name_in(text) {
    sub(/[\[(=].*/, "", text)
    sub(/[ \t]+$/, "", text)
    sub(/.*[ \t*]/, "", text)
    return text
}

FILENAME ~ /core\/rules\/rules_[a-z]+\.def$/ {
    if (match($0, /^RULE\([A-Z][0-9]+/))
        known[substr($0, 6, RLENGTH - 5)] = 1
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
    while (match(rest, /[^A-Za-z0-9_](KP_[PSDVEA]|[PSDVEA]-)[0-9][0-9][0-9][^0-9A-Za-z_]/)) {
        id = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH - 1)
        sub(/^KP_/, "", id)
        sub(/-/, "", id)
        found(id)
        if (match(rest, /^ ?\.\. ?[PSDVEA]-[0-9][0-9][0-9]/)) # P-035 .. P-037: also what lies between
            for (n = substr(id, 2) + 1; n < substr(rest, RLENGTH - 2, 3) + 0; n++)
                if (sprintf("%s%03d", substr(id, 1, 1), n) in known)
                    found(sprintf("%s%03d", substr(id, 1, 1), n))
    }
}

/^\{/ && signature || /^[a-z].*[{]$/ { inside = name_in(signature); flush_pending(inside) }
/^}/ { inside = ""; signature = "" }
!inside && /;[ \t]*(\/\*.*)?$/ && /^[a-zA-Z ]/ { if (pending) flush_pending(name_in(signature)); signature = "" }
/^#define / && pending { flush_pending(macro) }
/^$/ && !inside { flush_pending(""); signature = "" }

END { exit bad }
