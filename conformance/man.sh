#!/bin/sh
# man.sh COMMAND: the manual page, made from what the command says of itself.
set -eu
command=$1
version=$("$command" --version | awk '{ print $NF; exit }')
escape() {
    sed -e 's/\\/\\e/g' -e "s/^\([.']\)/\\\\\&\1/" -e 's/-/\\-/g'
}

cat <<PAGE
.TH PROBETEST 1 "" "probetest $version" "User Commands"
.SH NAME
probetest \- the executable specification of Kubernetes container probes
.SH SYNOPSIS
.B probetest
.I COMMAND
[\fIOPTION\fR]... [\fIARGUMENT\fR]...
.SH DESCRIPTION
One table of cases says what a kubelet does with a liveness, readiness or startup probe, when, and by which rule, for every
Kubernetes minor from 1.15 to 1.37. The built\-in engine plays it in virtual time; any other implementation is judged against the same
table through the adapter protocol.
.SH COMMANDS
PAGE
for name in $("$command" --help | sed -nE 's/^  ([a-z][a-z-]*) .*/\1/p'); do
    echo ".SS $name"
    echo .nf
    "$command" "$name" --help | escape
    echo .fi
done
cat <<'PAGE'
.SH EXIT STATUS
.TP
0
conformant, or done
.TP
1
not conformant
.TP
2
usage or bad input, an unknown id, an empty selection
.TP
3
the suite itself is damaged
.TP
4
the adapter is unusable
.SH ENVIRONMENT
.TP
NO_COLOR
no colours, also on a terminal
.SH SEE ALSO
.BR kubectl (1)
PAGE
