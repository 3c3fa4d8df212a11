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
probetest, kubectl\-probetest \- tell when and why Kubernetes probes kill a container
.SH SYNOPSIS
.B probetest
.I COMMAND
[\fIOPTION\fR]... [\fIARGUMENT\fR]...
.br
.B kubectl probetest
.I COMMAND
.IR POD | KIND/NAME ...
.SH DESCRIPTION
Computes what a kubelet does with liveness, readiness and startup probes, when, and by which rule, for every Kubernetes minor
from 1.15 to 1.37. No cluster is needed: the engine runs in virtual time. Its table of some 4,000 cases judges other implementations,
too, through the adapter protocol.
.SH EXAMPLES
.TP
How long may its start take, and when is a hang killed?
.B probetest budget pod.yaml
.TP
When is this pod killed, if its server hangs after ten minutes?
.B probetest simulate \-\-hangs\-at 10m pod.yaml
.TP
What is unwise about the probes of a chart?
.B helm template . | probetest lint \-
.TP
What ended a pod of the cluster?
.B kubectl get pod web \-o yaml | probetest why \-
.TP
Does a server answer as its probes want it?
.B probetest probe \-\-pod\-ip 10.0.0.7 pod.yaml
.TP
Which rule is that?
.B probetest explain P\-046
.TP
Judge another implementation:
.B probetest run \-\-k8s all \-\- ./my\-adapter
.SH COMMANDS
PAGE
for name in $("$command" --help | sed -nE 's/^  ([a-z][a-z-]*) .*/\1/p'); do
    echo ".SS $name"
    echo .nf
    "$command" "$name" --help | escape
    echo .fi
done
cat <<'PLUGIN'
.SH KUBECTL PLUGIN
.nf
PLUGIN
packaging/kubectl-probetest --help | escape
cat <<'PAGE'
.fi
.SH EXIT STATUS
.TP
0
conformant, or done
.TP
1
no: not conformant; of lint: refused, of probe: not healthy, of diff: other verdicts, of doctor: a step went wrong
.TP
2
usage or bad input, an unknown id, an empty selection
.TP
3
the suite itself is damaged
.TP
4
the adapter is unusable, or the machine too busy to judge it in real time
.SH ENVIRONMENT
.TP
NO_COLOR
no colours, also on a terminal; nor where TERM is dumb
.TP
PROBETEST_CASES
a folder with another table than the one that is built in
.SH SEE ALSO
.BR kubectl (1)
PAGE
