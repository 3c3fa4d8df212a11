/* commands.c: the table of commands; a new one is a declaration in cli.h and a row here. */
#include "conformance/text/cli.h"
#include "core/rules/profile.h"

/* What several commands have. */
#define K8S_OPTION                                                                                 \
    "  --k8s VERSION     " KP_DEFAULT " means its newest patch; default " KP_DEFAULT               \
    ": clusters lag " KP_NEWEST "\n"
#define CASES_OPTION "  --cases DIR       another table than the built-in one ($PROBETEST_CASES)\n"
#define SELECTION_OPTIONS                                                                          \
    "  --upstream NAME   only cases that check what upstream's test of that name\n"                \
    "                    checks\n"                                                                 \
    "  --bug K-10        only cases of a bug that is known\n"                                      \
    "  --not SELECTION   all but these cases\n"

const struct cf_command cf_commands[] = {
    {"budget", "[OPTIONS] FILE...", "how long a start may take, and when a hang is killed",
     K8S_OPTION "  --pod NAME        one pod of a file that holds several; also NAMESPACE/NAME\n"
                "  --json            one JSON object a container; times in milliseconds, null for\n"
                "                    never\n"
                "  --all             each container in six lines, also where there are more than\n"
                "                    eight\n"
                "FILE is a file, a folder, or - for standard input. Of each container: how long a\n"
                "start may take; when it leaves its Service, gets SIGTERM and SIGKILL and runs\n"
                "again where it hangs or fails; how slow an answer may be; when it is ready. From\n"
                "the earliest to the latest over all that a node leaves to chance.\n"
                "Exit code: 0, or 2 for usage or a file that holds no pod.\n",
     cf_budget_command},
    {"simulate", "[OPTIONS] FILE...", "when a pod is killed and restarted, and what to change",
     "  --starts-in D     probes are refused until D after each start; D is 90s, 1.5m\n"
     "                    ...; of one container: api=90s\n"
     "  --hangs-at D      from D on it answers nothing, and ignores SIGTERM\n"
     "  --answers-in D    each answer takes D\n"
     "  --down-for D      from 5m on no probe is answered for D, even after a restart;\n"
     "                    with --hangs-at: one process hangs for D, then goes on\n"
     "  --stops-in D      it takes D from SIGTERM to its end; alone: the pod is\n"
     "                    deleted at 5m\n"
     "  --traffic-for D   the pod is deleted at 5m, and requests still come for D\n"
     "  --deleted-at D    the pod is deleted at D\n"
     "  --patch           only the change that ends needless kills: a strategic merge\n"
     "                    patch\n"
     "  --for D           how long to play, from the pod's creation, up to 1111h (20m)\n"
     "  --k8s LIST        1.22, or 1.31,1.36.2, or all; patches: also each patch that\n"
     "                    changes something (" KP_DEFAULT ": clusters lag " KP_NEWEST "); also as\n"
     "                    `kubectl get nodes` shows them: v1.34.2-eks-113cf36\n"
     "  --answers LINE    what a probe answers over time, in place of what the script\n"
     "                    says; one LINE for each probe\n"
     "  --script FILE     what probes answer and what containers do, over time\n"
     "  --pull D          how long an image pull takes where the policy is Always\n"
     "                    (2.3s)\n"
     "  --pod NAME        one pod of a file that holds several; also NAMESPACE/NAME\n"
     "  --all             everything: each probe, event and condition\n"
     "  --color WHEN      auto, always or never (auto: a terminal, and no NO_COLOR)\n"
     "  -f, --format WORD text, json (one object a line), svg or html (text)\n"
     "  --json            the same as --format json\n"
     "  --worst-case      the earliest and latest kills and restarts over all that is\n"
     "                    left to chance, to 0.1 s, and by which rules; for at most 1h\n"
     "FILE holds Pods, anything with a pod template, or Lists, as YAML or JSON; a\n"
     "folder is gone through, - is standard input; more than 8 pods are shown as a\n"
     "table. A simple shell script in a container's command is played as it is\n"
     "written. PodPresets in the file are merged into its pods, in the versions that\n"
     "have them (up to 1.19). If a slow start, slow answers, an outage or a short\n"
     "grace period kills a container, the smallest change that prevents it is\n"
     "printed; each was played. A line of answers is\n"
     "web/liveness: success until 60s, failure with web for a container. A script is\n"
     "YAML, too, with these under the key answers; conformance/cases/README.md has\n"
     "all of its words.\n",
     cf_simulate_command},
    {"lint", "[OPTIONS] POD.yaml|FOLDER...", "what the API server refuses, and what is unwise",
     K8S_OPTION "  -f, --format WORD text, json (one object a line), sarif (2.1.0) or github\n"
                "                    (text)\n"
                "  --json            the same as --format json\n"
                "  --strict          advice fails, too\n"
                "  --all             each finding with its change, also of more than 8 pods\n"
                "  --rules           list the rules\n"
                "First what the API server would refuse, in its words, else advice on the probes,\n"
                "each with its place, its rule, and a change to paste. `# probetest:\n"
                "ignore=RULE,...` behind a field, or on the line above it, silences advice.\n"
                "Exit code: 0 nothing is refused, 1 something is (--strict: or there is advice),\n"
                "2 usage, or a file that is not YAML, has an unknown field, or holds no pod.\n"
                "PodPresets in a file are merged first, up to 1.19. Of several files those\n"
                "without pods are passed over, and counted.\n",
     cf_lint_command},
    {"why", "[OPTIONS] POD.yaml...", "what ended a pod's containers, from its status and events",
     "  -c, --container C one container\n"
     "  --pod NAME        one pod of several; also NAMESPACE/NAME\n"
     "  --k8s VERSION     of the pod's node (" KP_DEFAULT ": clusters lag " KP_NEWEST ")\n"
     "  --json            one JSON object a container\n"
     "POD.yaml is what `kubectl get pod NAME -o yaml` (or json) prints, - is standard\n"
     "input. Events make it surer, in the same stream or in files of their own:\n"
     "{ kubectl get pod NAME -o yaml; kubectl get events -o yaml; } | probetest why -\n"
     "It is sure where the status or an event of that instant says so; likely: what\n"
     "there is agrees; unsure: it may be. Times are UTC.\n",
     cf_why_command},
    {"probe", "[OPTIONS] POD.yaml", "fire a pod's probes as the kubelet would, at a real address",
     "  --pod-ip ADDRESS  of the pod (127.0.0.1)\n"
     "  -c, --container C one container's probes\n"
     "  --type TYPE       liveness, readiness or startup\n"
     "  --watch           go on in real time, through the whole engine, until\n"
     "                    interrupted\n"
     "  --for DURATION    so long (--watch), up to 1111h\n" K8S_OPTION
     "  --pod NAME        one pod of a file that holds several; also NAMESPACE/NAME\n"
     "  --json            one JSON object a line; --watch does so where stdout is no\n"
     "                    terminal\n"
     "Shows the request, the reply, the verdict and the event. An exec probe runs on\n"
     "this machine, with its environment and files.\n"
     "Exit code: 0 healthy, 1 not, 2 usage or a file without such a probe.\n",
     cf_probe_command},
    {"explain", "[OPTIONS] ID|RULE|BUG|WORDS...",
     "a rule, of the kubelet or of lint; a bug; a difference; a case",
     CASES_OPTION
     "RULE is an id, or its name in the code: P-033, ON_HOLD. O-72 and F-50 are\n"
     "differences from the real kubelet, and what became of them. WORDS are a field, a\n"
     "word of kubectl, or a sentence in quotes: initialDelaySeconds, CrashLoopBackOff,\n"
     "137. What it is, the rule that fits best, and which others do.\n",
     cf_explain_command},
    {"list", "[OPTIONS] [SELECTION...]", "the cases of the table, a line each",
     "  --k8s LIST        only cases that apply to these versions\n" SELECTION_OPTIONS
     "  --tier WORD       contract: what the documentation promises; kubelet: all but\n"
     "                    known bugs and wording; exact: all (exact)\n"
     "  --without-bugs    all but cases that show a known bug of the kubelet\n" CASES_OPTION,
     cf_list_command},
    {"show", "[OPTIONS] SELECTION...", "a case whole: what goes in and what comes out",
     CASES_OPTION, cf_show_command},
    {"rules", "[OPTIONS]", "every rule with its cases and its place in the code; the holes",
     "  --holes           only what is missing\n" CASES_OPTION
     "A hole is a rule without a case or without a place in the code, one that changes\n"
     "at a version on one side of which no case of it ends or begins, a test of\n"
     "upstream's or a known bug without a case. A rule that no trace can show is\n"
     "silent, and says why.\n"
     "Exit code: 0 there is no hole, 3 there are some.\n",
     cf_rules_command},
    {"contract", "[OPTIONS]", "what the documentation promises of probes, with its cases",
     CASES_OPTION "Numbered sentences, each with its rules, the page that says so, and the family\n"
                  "of cases that shows it. `probetest run --tier contract -- ADAPTER` judges an\n"
                  "implementation by them.\n",
     cf_contract_command},
    {"export", "[OPTIONS] [SELECTION...]", "the table, or the rules, for other programs",
     "  --rules           the rules with bugs, upstream's tests, code and cases, not\n"
     "                    the cases\n"
     "  -f, --format WORD jsonl: a line a case (the default); of rules json or\n"
     "                    markdown\n"
     "  -o, --output FILE else standard output\n"
     "  --k8s LIST        only cases that apply to these versions\n" CASES_OPTION
     "conformance/schema/export.case.json and export.rules.json describe what comes\n"
     "out: families and defaults are merged, pods are completed, and traces are lists.\n",
     cf_export_command},
    {"run", "[OPTIONS] [SELECTION...] [-- ADAPTER ARGS...]",
     "play the table against it, or against the built-in engine",
     "  --k8s LIST        versions: 1.36, or 1.20,1.34.2, or all; patches: also each\n"
     "                    patch that changes something; else each case at the newest\n"
     "                    that the adapter plays\n" SELECTION_OPTIONS
     "  --tier WORD       contract: what the documentation promises; kubelet: all but\n"
     "                    known bugs and wording; exact: all (what the adapter claims;\n"
     "                    exact)\n"
     "  --without-bugs    all but cases that show a known bug of the kubelet\n"
     "  --jobs N          so many adapter processes at once, with the same result (1;\n"
     "                    with a real clock 16 or 64)\n"
     "  --known FILE      failures that are known; any other, or one that is gone,\n"
     "                    fails the run\n"
     "  --update-known    rewrite that file, keeping its reasons\n"
     "  --report FILE     .jsonl (sealed), .tap, .xml (JUnit), .md or .html; may be\n"
     "                    repeated\n"
     "  --require LIST    fail unless these layers were claimed and judged, or so much\n"
     "                    of the selection: probe,pod,90%\n"
     "  --timeout MS      for a reply of the adapter, twice that for hello (5000)\n"
     "  --seed N          of free jitter (1)\n" CASES_OPTION
     "  --quiet           do not print failures, only the summary\n"
     "  --verbose         each message to the adapter (>) and from it (<), on stderr\n"
     "A selection is a topic (pod/kill or kill), a layer (pod), an id, a rule (P-046)\n"
     "or a regular expression of ids. Without an adapter the built-in engine is\n"
     "judged.\n"
     "Exit code: 0 conformant, 1 not, 2 usage or an empty selection, 3 the table is\n"
     "damaged, 4 the adapter is unusable, or the machine too busy to judge it in real\n"
     "time.\n",
     cf_run_command},
    {"doctor", "[OPTIONS] -- ADAPTER ARGS...", "check an adapter step by step, and say what to fix",
     "  --k8s VERSION  that it plays (the newest that it does, from " KP_NEWEST " down)\n"
     "  --timeout MS   for a reply and to leave, twice that for hello (5000)\n"
     "Shows what was sent, what came and what the protocol wanted.\n"
     "Exit code: 1 where a step went wrong, 4 where not even hello was answered.\n",
     cf_doctor_command},
    {"report", "[--format FORMAT] [--output FILE] RESULT.jsonl...",
     "result files as TAP, JUnit XML, Markdown or HTML",
     "  -f, --format FORMAT  tap, junit, markdown (the default) or html\n"
     "  -o, --output FILE    else standard output; its ending (.tap .xml .md .html)\n"
     "                       tells the format\n"
     "Markdown and HTML put several results side by side.\n",
     cf_report_command},
    {"diff", "BEFORE.jsonl AFTER.jsonl", "which cases have another verdict in another run",
     "Exit code 1: some did.\n", cf_diff_command},
    {"verify-report", "RESULT.jsonl...", "is a result file whole and as it was written?",
     "Exit code 1: it was truncated or edited.\n", cf_verify_command},
    {"serve", "", "speak the adapter protocol on stdin and stdout",
     "The built-in engine answers requests as conformance/protocol.md says, a line\n"
     "each, until its input ends.\n",
     cf_serve_command},
    {0},
};
