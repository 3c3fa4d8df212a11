#include "conformance/advice/advice.h"
#include "fakes/unit.h"

/* "line rule field" of each finding, a line each; what is ignored in brackets. */
static struct kp_text linted(struct cf_arena *arena, const char *version, const char *yaml)
{
    struct kp_profile profile = unit_profile(version);
    struct cf_manifest manifest;
    struct cf_ignores ignores;
    struct cf_findings findings;
    struct kp_text text = KP_TEXT("");

    CHECK_INT(cf_manifest_read(arena, &profile, "f", kp_text_of(yaml), &manifest), KP_OK);
    CHECK_INT(cf_ignores_read(arena, kp_text_of(yaml), &ignores), KP_OK);
    CHECK_INT(cf_advise(arena, &profile, &manifest, &ignores, &findings), KP_OK);
    for (size_t i = 0; i < findings.count; i++) {
        const struct cf_finding *finding = &findings.list[i];

        text = cf_arena_format(arena, "%.*s%s%d %s %.*s%s\n", KP_ARG(text),
                               finding->ignored ? "(" : "", finding->at.line,
                               cf_lint_row(finding->rule)->id, KP_ARG(finding->field),
                               finding->ignored ? ")" : "");
    }
    return text;
}

#define HEAD "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n"
#define PRESET "apiVersion: settings.k8s.io/v1alpha1\nkind: PodPreset\nmetadata: {name: p}\n"
#define ONE "  containers:\n  - name: c\n    image: i\n"
#define LIVE "spec.containers[0].livenessProbe"

static const struct row {
    const char *version;
    const char *yaml;
    const char *findings;
} rows[] = {
    {"1.19",
     PRESET "spec: {env: [{name: A, value: b}]}\n---\n" HEAD ONE "    env: [{name: A, value: a}]\n",
     "6 preset-conflict \n"},
    {"1.19",
     PRESET "spec: {env: [{name: A, value: a}]}\n---\n" HEAD ONE "    env: [{name: A, value: a}]\n",
     ""},
    {"1.36",
     HEAD ONE "    livenessProbe:\n      httpGet: {port: web, host: h}\n      timeoutSeconds: 20\n"
              "      failureThreshold: 1\n      initialDelaySeconds: 60\n",
     /* a probe that is never sent neither kills nor takes time */
     "9 port-name-unknown " LIVE ".httpGet.port\n9 probe-host " LIVE ".httpGet.host\n"},
    {"1.36",
     HEAD ONE "    livenessProbe:\n      httpGet: {port: 80}\n      timeoutSeconds: 20\n"
              "      failureThreshold: 1\n      initialDelaySeconds: 60\n",
     "10 timeout-over-period " LIVE ".timeoutSeconds\n"
     "11 one-failure-kills " LIVE ".failureThreshold\n"
     "12 delay-guards-start " LIVE ".initialDelaySeconds\n"},
    {"1.22",
     HEAD ONE "    livenessProbe: {tcpSocket: {port: 1}, terminationGracePeriodSeconds: 9}\n",
     "8 field-dropped " LIVE ".terminationGracePeriodSeconds\n8 slow-start-killed " LIVE "\n"},
    {"1.23", HEAD ONE "    livenessProbe: {grpc: {port: 1}}\n", "8 grpc-is-off " LIVE ".grpc\n"},
    {"1.24", HEAD ONE "    livenessProbe: {grpc: {port: 1}}\n", "8 slow-start-killed " LIVE "\n"},
    {"1.25",
     HEAD ONE "    livenessProbe: {tcpSocket: {port: 1}, terminationGracePeriodSeconds: 9}\n",
     "8 slow-start-killed " LIVE "\n"},
    /* safe up to 20 s with the defaults, up to 30 s with one failure more */
    {"1.36", HEAD ONE "    livenessProbe: {tcpSocket: {port: 1}, failureThreshold: 4}\n", ""},
    /* the node's network is the kubelet's, so its loopback is the pod's; another host is not */
    {"1.36",
     HEAD "  hostNetwork: true\n" ONE "    readinessProbe: {httpGet: {port: 1, host: 127.0.0.1}}\n",
     ""},
    {"1.36", HEAD ONE "    readinessProbe: {httpGet: {port: 1, host: 127.0.0.1}}\n",
     "8 probe-host spec.containers[0].readinessProbe.httpGet.host\n"},
    {"1.36", HEAD "  hostNetwork: true\n" ONE "    readinessProbe: {httpGet: {port: 1, host: h}}\n",
     "9 probe-host spec.containers[0].readinessProbe.httpGet.host\n"},
    /* a startup probe's timeout is not cut to its period: the command may take as long */
    {"1.36",
     HEAD ONE "    startupProbe: {httpGet: {port: 1}, timeoutSeconds: 20, failureThreshold: 60}\n",
     ""},
    {"1.36", HEAD ONE "    readinessProbe: {tcpSocket: {port: 1}, successThreshold: 2}\n",
     "8 success-run-goes-on spec.containers[0].readinessProbe.successThreshold\n"},
    {"1.20", HEAD ONE "    livenessProbe: {exec: {command: [x]}, timeoutSeconds: 3}\n",
     "8 slow-start-killed " LIVE "\n"},
    {"1.36", HEAD "  restartPolicy: Never\n" ONE "    livenessProbe: {exec: {command: [x]}}\n",
     "9 slow-start-killed " LIVE "\n9 exec-timeout-1s " LIVE
     ".timeoutSeconds\n9 liveness-ends-for-good " LIVE "\n"},
    /* what is refused gets no advice */
    {"1.36", HEAD ONE "    livenessProbe: {tcpSocket: {port: 0}, failureThreshold: 1}\n",
     "8 refused \n"},
    /* comments behind the field, behind its probe, above it, above other comments */
    {"1.36",
     HEAD ONE "    livenessProbe:\n      tcpSocket: {port: 1}\n"
              "      failureThreshold: 1 # probetest: ignore=one-failure-kills\n"
              "      initialDelaySeconds: 60 # probetest: ignore=one-failure-kills\n",
     "(10 one-failure-kills " LIVE ".failureThreshold)\n"
     "11 delay-guards-start " LIVE ".initialDelaySeconds\n"},
    {"1.36",
     HEAD ONE
     "    livenessProbe: # probetest: ignore=delay-guards-start,one-failure-kills because\n"
     "      tcpSocket: {port: 1}\n      failureThreshold: 1\n      initialDelaySeconds: 60\n",
     "(10 one-failure-kills " LIVE ".failureThreshold)\n"
     "(11 delay-guards-start " LIVE ".initialDelaySeconds)\n"},
    {"1.36",
     HEAD ONE "    livenessProbe:\n      tcpSocket: {port: 1}\n"
              "      # probetest: ignore=one-failure-kills\n      # it holds no state\n"
              "      failureThreshold: 1\n",
     "8 slow-start-killed " LIVE "\n(12 one-failure-kills " LIVE ".failureThreshold)\n"},
    /* above the list of containers, of the whole pod; with other blanks */
    {"1.36",
     HEAD "  # probetest: ignore=slow-start-killed\n" ONE
          "    livenessProbe:\n      tcpSocket: {port: 1}\n"
          "      failureThreshold: 1 #probetest:ignore=probe-host, one-failure-kills\n",
     "(9 slow-start-killed " LIVE ")\n(11 one-failure-kills " LIVE ".failureThreshold)\n"},
};

static void findings_stand_where_they_belong(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};

        CHECK_TEXT(linted(&arena, rows[i].version, rows[i].yaml), kp_text_of(rows[i].findings));
        cf_arena_deinit(&arena);
    }
}

static void a_comment_that_names_no_rule_is_reported(void)
{
    struct cf_arena arena = {.mem = cf_libc_mem()};
    struct cf_ignores ignores;

    CHECK_INT(
        cf_ignores_read(&arena,
                        KP_TEXT("a: b\nc: d  # probetest: ignore=no-such,probe-host\n"
                                "e: f # probetest: ignore=\ng: h # probetest: ignore=refused\n"
                                "i: j # probetest: ignores=probe-host"),
                        &ignores),
        KP_OK);
    CHECK_INT(ignores.count, 1);
    CHECK(cf_ignores_has(&ignores, 2, CF_LINT_HOST));
    CHECK(!cf_ignores_has(&ignores, 3, CF_LINT_HOST));
    CHECK_INT(ignores.fault_count, 4);
    CHECK_INT(ignores.faults[0].at.line, 2);
    CHECK_INT(ignores.faults[0].at.column, 7);
    CHECK_TEXT(ignores.faults[0].text,
               KP_TEXT("no rule \"no-such\" to ignore; `probetest lint --rules` lists them"));
    CHECK_INT(ignores.faults[2].at.line, 4);
    CHECK_INT(ignores.faults[3].at.line, 5);
    CHECK_TEXT(ignores.faults[3].text, KP_TEXT("not understood; it is `# probetest: ignore=RULE`"));
    cf_arena_deinit(&arena);
}

/* All that the API takes: sums and products of it are no int32, and no play lasts for ever. */
static void the_greatest_numbers_are_looked_at(void)
{
    static const char *const numbers[] = {
        "initialDelaySeconds: 2147483647, periodSeconds: 2147483647",
        "failureThreshold: 2147483647, timeoutSeconds: 2147483647",
        "failureThreshold: 1, initialDelaySeconds: 2147483647, terminationGracePeriodSeconds: "
        "9223372036854775807"};

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct cf_arena arena = {.mem = cf_libc_mem()};
        struct kp_text found;

        found = linted(&arena, "1.36",
                       cf_arena_format(&arena,
                                       HEAD ONE "    livenessProbe: {tcpSocket: {port: 1}, %s}\n"
                                                "    readinessProbe: {tcpSocket: {port: 1}, "
                                                "failureThreshold: 2147483647}\n",
                                       numbers[i])
                           .bytes);
        CHECK(found.bytes != NULL);
        cf_arena_deinit(&arena);
    }
}

const struct unit_test advice_test[] = {
    {"findings stand where they belong", findings_stand_where_they_belong},
    {"a comment that names no rule is reported", a_comment_that_names_no_rule_is_reported},
    {"the greatest numbers are looked at", the_greatest_numbers_are_looked_at},
    {0},
};
