#include "conformance/judge/result.h"

#include "conformance/judge/known.h"
#include "conformance/judge/verdict.h"
#include "conformance/report/report.h"
#include "fakes/unit.h"

#include <string.h>

static const struct cf_moment moments[] = {
    {0, {"web probe", 9}, {"web probe", 9}},
    {10000, {"web/1 kill 30s", 14}, {NULL, 0}},
    {12500, {NULL, 0}, {"web <ready> & \"so\"", 18}},
};
static const struct kp_text rules[] = {{"P-046", 5}};
static const struct kp_text issues[] = {{"113606", 6}};

#define TEXT(literal)                                                                              \
    {                                                                                              \
        literal, sizeof(literal) - 1                                                               \
    }

/* A run of five cases, one of each sort that reports treat differently. */
static const struct cf_result_case cases[] = {
    {.id = TEXT("passes"),
     .k8s = TEXT("1.36"),
     .topic = TEXT("thresholds"),
     .layer = TEXT("probe"),
     .sentence = TEXT("one success is enough"),
     .place = TEXT("thresholds.yaml:3"),
     .outcome = {.verdict = CF_PASS}},
    {.id = TEXT("fails"),
     .k8s = TEXT("1.36"),
     .topic = TEXT("liveness"),
     .layer = TEXT("pod"),
     .sentence = TEXT("three failures kill"),
     .place = TEXT("liveness.yaml:9"),
     .rules = {rules, 1},
     .issues = {issues, 1},
     .outcome = {.verdict = CF_FAIL,
                 .signature = TEXT("at 10.000: wanted kill"),
                 .why = TEXT("at 10 s it did not kill"),
                 .moments = moments,
                 .moment_count = 3,
                 .first = 1}},
    {.id = TEXT("known"),
     .k8s = TEXT("1.36"),
     .topic = TEXT("liveness"),
     .layer = TEXT("pod"),
     .reason = TEXT("counts otherwise"),
     .outcome = {.verdict = CF_XFAIL, .signature = TEXT("s")}},
    {.id = TEXT("skipped"),
     .k8s = TEXT("1.36"),
     .topic = TEXT("ports"),
     .layer = TEXT("port"),
     .outcome = {.verdict = CF_SKIP, .why = TEXT("it does not claim layer port")}},
    {.id = TEXT("crashes"),
     .k8s = TEXT("1.36"),
     .topic = TEXT("ports"),
     .layer = TEXT("port"),
     .outcome = {.verdict = CF_CRASH,
                 .signature = TEXT("crash"),
                 .why = TEXT("it exited with code 3"),
                 .log = TEXT("boom\n\x01")}},
};

static void append(void *ctx, struct kp_text bytes)
{
    cf_out_put(ctx, bytes);
}

static struct cf_out written(bool interrupted)
{
    static const struct kp_text versions[] = {{"1.36", 4}};
    struct cf_result_header header = {.tool = KP_TEXT("0.1"),
                                      .suite = KP_TEXT("abc"),
                                      .k8s = {versions, 1},
                                      .seed = 7,
                                      .selection = KP_TEXT("all"),
                                      .selected = sizeof cases / sizeof cases[0]};
    struct cf_result_writer writer = {.write = append};
    struct cf_out out = {0};

    header.about = (struct cf_hello_ok){
        .protocol = 1, .name = KP_TEXT("toy"), .version = KP_TEXT("2"), .language = KP_TEXT("C")};
    header.about.layers[CF_LAYER_POD] = true;
    writer.ctx = &out;
    cf_result_begin(&writer, &header);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        cf_result_add(&writer, &cases[i]);
    writer.unobserved[KP_EFFECT_HOOK] = true;
    cf_result_end(&writer, interrupted);
    return out;
}

struct loaded {
    struct cf_out bytes;
    struct cf_arena arena;
    struct cf_reader reader;
    struct cf_result result;
};

static bool load(struct loaded *loaded)
{
    loaded->arena = (struct cf_arena){.mem = cf_libc_mem()};
    loaded->reader = (struct cf_reader){.arena = &loaded->arena};
    return cf_result_read(&loaded->reader, cf_out_text(&loaded->bytes), &loaded->result);
}

static void unload(struct loaded *loaded)
{
    cf_arena_deinit(&loaded->arena);
    cf_out_deinit(&loaded->bytes);
}

static void a_run_is_read_as_it_was_written(void)
{
    struct loaded loaded = {.bytes = written(false)};
    struct cf_out again = written(false);

    CHECK(load(&loaded));
    CHECK_TEXT(cf_out_text(&again), cf_out_text(&loaded.bytes));
    CHECK_INT(loaded.result.case_count, 5);
    CHECK_INT(loaded.result.totals[CF_FAIL], 1);
    CHECK_INT(loaded.result.cases[1].outcome.first, 1);
    CHECK_TEXT(loaded.result.cases[1].outcome.moments[2].got, moments[2].got);
    CHECK_TEXT(loaded.result.cases[4].outcome.log, cases[4].outcome.log);
    CHECK_TEXT(loaded.result.unobserved.items[0], KP_TEXT("hook"));
    CHECK_TEXT(loaded.result.header.about.name, KP_TEXT("toy"));
    CHECK_INT(cf_result_judged(loaded.result.totals), 4);
    CHECK(!cf_result_conforms(&loaded.result));
    cf_out_deinit(&again);
    unload(&loaded);
}

static void every_truncation_is_noticed(void)
{
    struct cf_out whole = written(false);

    for (size_t len = 0; len < whole.len; len += 1 + (len % 7)) {
        struct loaded loaded = {0};

        cf_out_put(&loaded.bytes, (struct kp_text){whole.bytes, len});
        CHECK(!load(&loaded));
        CHECK(loaded.reader.why.len > 0);
        unload(&loaded);
    }
    cf_out_deinit(&whole);
}

static void every_edit_is_noticed(void)
{
    struct cf_out whole = written(false);

    for (size_t at = 0; at < whole.len; at++) {
        struct loaded loaded = {0};

        cf_out_put(&loaded.bytes, cf_out_text(&whole));
        loaded.bytes.bytes[at] = loaded.bytes.bytes[at] == '0' ? '1' : '0';
        CHECK(!load(&loaded));
        unload(&loaded);
    }
    cf_out_deinit(&whole);
}

/* ---- known failures ----------------------------------------------------------------------- */

static bool read_known(struct loaded *loaded, const char *text, struct cf_known *known)
{
    loaded->reader.why = KP_TEXT_NONE;
    return cf_known_read(&loaded->reader, kp_text_of(text), known);
}

static const char known_text[] = "# why not\n"
                                 "case: fails\nsignature: at 10.000: wanted kill\nreason: slow\n\n"
                                 "case: passes\nk8s: 1.35 1.36\nsignature: x\nreason: y\n\n\n"
                                 "case: crashes\nk8s: 1.35\nsignature: crash\nreason: old\n\n"
                                 "case: known\nsignature: other\nreason: z";

static void known_failures_are_judged_by_signature(void)
{
    static const enum cf_verdict wanted[] = {CF_XPASS, CF_XFAIL, CF_XFAIL, CF_SKIP, CF_CRASH};
    struct loaded loaded = {.bytes = written(false)};
    struct cf_known known;

    CHECK(load(&loaded));
    CHECK(read_known(&loaded, known_text, &known));
    CHECK_INT(known.count, 4);
    for (size_t i = 0; i < 5; i++) {
        struct cf_result_case item = loaded.result.cases[i];

        cf_known_apply(&known, &loaded.arena, &item);
        CHECK_INT(item.outcome.verdict, wanted[i]);
    }
    unload(&loaded);
}

static void a_changed_signature_stays_a_failure(void)
{
    struct loaded loaded = {.bytes = written(false)};
    struct cf_result_case item = cases[1];
    struct cf_known known;

    CHECK(load(&loaded));
    CHECK(read_known(&loaded, "case: fails\nsignature: another\nreason: r\n", &known));
    cf_known_apply(&known, &loaded.arena, &item);
    CHECK_INT(item.outcome.verdict, CF_FAIL);
    CHECK_TEXT(item.outcome.why,
               KP_TEXT("at 10 s it did not kill; known was another failure: another"));
    unload(&loaded);
}

static void updating_keeps_reasons_and_what_was_not_played(void)
{
    static const char wanted[] =
        "# Known failures; `--update-known` rewrites this file and keeps the reasons.\n"
        "\ncase: crashes\nk8s: 1.35\nsignature: crash\nreason: old\n"
        "\ncase: fails\nsignature: at 10.000: wanted kill\nreason: slow\n"
        "\ncase: known\nsignature: s\nreason: z\n"
        "\ncase: crashes\nsignature: crash\nreason: not explained yet\n";
    struct loaded loaded = {.bytes = written(false)};
    struct cf_known known;
    struct cf_out out = {0};

    CHECK(load(&loaded));
    CHECK(read_known(&loaded, known_text, &known));
    cf_known_update(&known, &loaded.result, &out);
    CHECK_TEXT(cf_out_text(&out), KP_TEXT(wanted));
    CHECK(read_known(&loaded, wanted, &known));
    cf_out_deinit(&out);
    unload(&loaded);
}

static void a_known_failure_file_with_errors_says_where(void)
{
    static const char *const rows[][2] = {
        {"case: a\nreason: b\n", "1:1: the block lacks `signature`"},
        {"signature: s\nreason: b\n", "1:1: the block lacks `case`"},
        {"\n\ncase: a\ncase: b\n", "4:1: a second `case` in this block"},
        {"case:\n", "1:6: `case` is empty"},
        {"kase: a\n", "1:1: not one of case, k8s, signature, reason: \"kase: a\""},
        {"case: a\nsignature: s\nreason: r\n\ncase: a\nsignature: t\nreason: r\n",
         "5:1: a is listed already, at line 1"},
    };
    struct loaded loaded = {.bytes = written(false)};
    struct cf_known known;

    CHECK(load(&loaded));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        CHECK(!read_known(&loaded, rows[i][0], &known));
        CHECK_TEXT(loaded.reader.why, kp_text_of(rows[i][1]));
    }
    unload(&loaded);
}

/* ---- reports ------------------------------------------------------------------------------ */

static bool holds(const struct cf_out *out, const char *needle)
{
    size_t len = strlen(needle);

    for (size_t i = 0; i + len <= out->len; i++)
        if (memcmp(out->bytes + i, needle, len) == 0)
            return true;
    return false;
}

static void each_format_says_what_happened(void)
{
    static const struct {
        enum cf_report_format format;
        const char *needles[7];
    } rows[] = {
        {CF_REPORT_TAP,
         {"TAP version 14\n1..5\nok 1 - passes @1.36\n", "\nnot ok 2 - fails @1.36\n  ---\n",
          "\nnot ok 3 - known @1.36 # TODO known failure: counts otherwise\n",
          "\nok 4 - skipped @1.36 # SKIP it does not claim layer port\n",
          "    - {at: 12.500, wanted: \"\", got: \"web <ready> & \\\"so\\\"\"}\n",
          "\nBail out! interrupted\n"}},
        {CF_REPORT_JUNIT,
         {"<testsuites name=\"toy 2\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"2\"",
          "<testsuite name=\"liveness\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"1\"",
          "<failure type=\"fail\" message=\"at 10 s it did not kill\">",
          "web &lt;ready&gt; &amp; &quot;so&quot;", "<error type=\"crash\"",
          "boom&#10;\xEF\xBF\xBD</system-err>", "<skipped message=\"counts otherwise\"/>"}},
        {CF_REPORT_MARKDOWN,
         {"| topic | toy 2 |\n|---|---:|\n| thresholds | 1/1 |\n| liveness | **0/2** |\n",
          "| all | **1/4** |\n", "\n### fail: fails @1.36\n", "- known @1.36: counts otherwise\n",
          "    > 10.000  wanted: web/1 kill 30s  got: \n"}},
        {CF_REPORT_HTML,
         {"<a class=\"bad\" href=\"#c0-1\">0/2</a>", "<section class=\"cell\" id=\"c0-1\">",
          "<svg ", "web &lt;ready&gt; &amp; &quot;so&quot;", ", interrupted", "</html>\n"}},
    };
    struct loaded loaded = {.bytes = written(true)};

    CHECK(load(&loaded));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_out out = {0};

        cf_report_put(&out, rows[i].format, &loaded.result, 1);
        for (size_t k = 0; k < 7 && rows[i].needles[k]; k++)
            if (!CHECK(holds(&out, rows[i].needles[k])))
                CHECK_TEXT(cf_out_text(&out), kp_text_of(rows[i].needles[k]));
        cf_out_deinit(&out);
    }
    unload(&loaded);
}

static void a_failure_is_printed_side_by_side(void)
{
    static const char wanted[] =
        "fail  fails  (1.36, liveness.yaml:9)\n"
        "    three failures kill\n"
        "        seconds  wanted                                           got\n"
        "          0.000  web probe                                        web probe\n"
        " >       10.000  web/1 kill 30s                                 | -\n"
        "         12.500  -                                              | web <ready> & \"so\"\n"
        "    at 10 s it did not kill\n"
        "    rule    P-046  ";
    static const char end[] = "    known upstream as kubernetes/kubernetes#113606\n"
                              "    again   probetest run --k8s 1.36 '^fails$' -- ./x\n\n";
    struct cf_print print = {"probetest run", " -- ./x", NULL};
    struct cf_out out = {0};

    cf_print_failure(&out, &cases[1], &print);
    CHECK_TEXT(((struct kp_text){out.bytes, sizeof wanted - 1}), KP_TEXT(wanted));
    CHECK(holds(&out, end));
    cf_out_deinit(&out);
}

/* A result of another release may name rules that this one does not have. */
static void a_rule_that_nobody_knows_is_named_alone(void)
{
    static const struct kp_text names[] = {{"P-046", 5}, {"X-999", 5}};
    struct cf_print print = {"probetest run", "", NULL};
    struct cf_result_case item = cases[1];
    struct cf_out out = {0};

    item.rules = (struct kp_text_list){names, 2};
    cf_print_failure(&out, &item, &print);
    CHECK(holds(&out, "    rule    X-999\n"));
    cf_out_deinit(&out);
}

static void the_summary_closes_with_passed_and_failed(void)
{
    static const char end[] = "\nnot judged: 1: it does not claim layer port\n"
                              "not judged: effects of the kinds hook, which it does not report\n"
                              "judged 4 of 5 (80%): 1 pass, 1 fail, 1 xfail, 1 skip, 1 crash\n"
                              "2 passed, 2 failed\n";
    struct loaded loaded = {.bytes = written(false)};
    struct cf_out out = {0};

    CHECK(load(&loaded));
    cf_print_summary(&out, &loaded.result);
    CHECK(holds(&out, end));
    CHECK(memcmp(out.bytes + out.len - 9, "2 failed\n", 9) == 0);
    cf_out_deinit(&out);
    unload(&loaded);
}

static void two_runs_are_compared_case_by_case(void)
{
    struct loaded a = {.bytes = written(false)};
    struct loaded b = {.bytes = written(false)};
    struct cf_result_case changed[5];
    struct cf_out out = {0};

    CHECK(load(&a) && load(&b));
    CHECK_INT(cf_report_diff(&out, &a.result, &b.result), 0);
    memcpy(changed, b.result.cases, sizeof changed);
    changed[0].outcome.verdict = CF_TIMEOUT;
    b.result.cases = changed;
    b.result.case_count = 4;
    CHECK_INT(cf_report_diff(&out, &a.result, &b.result), 2);
    CHECK_TEXT(cf_out_text(&out), KP_TEXT("passes @1.36: pass -> timeout\n"
                                          "crashes @1.36: crash (crash) -> not there\n"));
    cf_out_deinit(&out);
    unload(&a);
    unload(&b);
}

const struct unit_test result_test[] = {
    {"a run is read as it was written", a_run_is_read_as_it_was_written},
    {"every truncation is noticed", every_truncation_is_noticed},
    {"every edit is noticed", every_edit_is_noticed},
    {"known failures are judged by signature", known_failures_are_judged_by_signature},
    {"a changed signature stays a failure", a_changed_signature_stays_a_failure},
    {"updating keeps reasons and what was not played",
     updating_keeps_reasons_and_what_was_not_played},
    {"a known-failure file with errors says where", a_known_failure_file_with_errors_says_where},
    {"each format says what happened", each_format_says_what_happened},
    {"a failure is printed side by side", a_failure_is_printed_side_by_side},
    {"a rule that nobody knows is named alone", a_rule_that_nobody_knows_is_named_alone},
    {"the summary closes with passed and failed", the_summary_closes_with_passed_and_failed},
    {"two runs are compared case by case", two_runs_are_compared_case_by_case},
    {0},
};
