#include "conformance/simulate/sim_page.h"

#include "conformance/pod/manifest.h"
#include "fakes/unit.h"

#include <string.h>

static const char pod[] =
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: web\n"
    "    image: i:1\n    command: [/bin/sh, -c, 'touch /x; sleep 20; rm /x; sleep 60']\n"
    "    livenessProbe: {exec: {command: [cat, '/x']}, periodSeconds: 5, failureThreshold: "
    "1}\n";

/* The page of that pod, played for a minute on two versions, or searched on one. */
static void make(const char *yaml, enum cf_sim_format format, bool worst_case, struct cf_out *out)
{
    static const char *const versions[] = {"1.22", "1.36"};
    struct cf_sim_page page = {.format = format};
    struct cf_arena arena = {.mem = cf_libc_mem()};

    for (size_t i = worst_case; i < 2; i++) {
        struct kp_profile profile = unit_profile(versions[i]);
        struct cf_manifest manifest;
        struct cf_sim_script script;
        struct cf_sim_trace trace = {.profile = &profile, .end_ns = 60 * KP_NS_PER_S};
        struct cf_worst_case worst = {.profile = &profile, .end_ns = 60 * KP_NS_PER_S};
        const char *why;

        CHECK_INT(cf_manifest_read(&arena, &profile, "f", kp_text_of(yaml), &manifest), KP_OK);
        trace.pod = worst.pod = manifest.pods[0].pod;
        CHECK_INT(cf_sim_script_make(&arena, &profile, trace.pod, 0, 0, &script), KP_OK);
        if (worst_case) {
            CHECK_INT(cf_worst_case_play(&arena, &script.script, &worst, &why), KP_OK);
            cf_sim_page_add_worst(&page, KP_TEXT("a <title>\n  and more\n\n"), &worst);
        } else {
            CHECK_INT(cf_sim_play(&arena, &script.script, 0, &trace, &why), KP_OK);
            cf_sim_page_add(&page, KP_TEXT("a <title>\n  and more\n\n"), KP_TEXT_NONE, &trace);
            cf_sim_trace_deinit(&trace);
        }
    }
    cf_sim_page_put(out, &page);
    cf_out_put_char(out, '\0');
    cf_sim_page_deinit(&page);
    cf_arena_deinit(&arena);
}

static int count(const char *text, const char *what)
{
    int found = 0;

    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what))
        found++;
    return found;
}

/* Every element that is opened is closed; void ones of HTML apart. */
static void check_tags(const char *text)
{
    static const char *const names[] = {"svg", "g", "text", "title", "table", "tr", "td", "style"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char open[16] = "<";
        char spaced[16] = "<";
        char close[16] = "</";

        strcat(strcat(open, names[i]), ">");
        strcat(strcat(spaced, names[i]), " ");
        strcat(strcat(close, names[i]), ">");
        CHECK_INT(count(text, open) + count(text, spaced), count(text, close));
    }
    CHECK_INT(count(text, "<b>"), 0);
    CHECK_INT(count(text, "a <title>"), 0);
}

static void an_svg_is_one_document(void)
{
    struct cf_out out = {0};

    make(pod, CF_SIM_SVG, false, &out);
    CHECK(strncmp(out.bytes, "<svg xmlns=", 11) == 0);
    CHECK_INT(count(out.bytes, "<svg "), 1);
    CHECK_INT(count(out.bytes, "a &lt;title&gt;"), 2);
    CHECK(strstr(out.bytes, ">  liveness</text>") != NULL);
    CHECK_INT(count(out.bytes, ">SIGTERM to its end, CrashLoopBackOff</text>"), 1); /* a legend */
    CHECK_INT(count(out.bytes, ">start</text>"), 1);
    CHECK_INT(count(out.bytes, ">back-off</text>"), 1);
    CHECK(count(out.bytes, "class=\"fail\"") >= 2); /* failed probes */
    CHECK(count(out.bytes, "class=\"lost\"") >= 2); /* from the kill to the end */
    check_tags(out.bytes);
    cf_out_deinit(&out);
}

static void what_is_never_ready_is_not_green(void)
{
    static const char unready[] =
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: web\n"
        "    image: i:1\n    command: [/bin/sh, -c, 'touch /x; sleep 1; rm /x; sleep 600']\n"
        "    readinessProbe: {exec: {command: [cat, '/x']}, initialDelaySeconds: 5}\n";
    struct cf_out out = {0};

    make(unready, CF_SIM_SVG, false, &out);
    CHECK_INT(count(out.bytes, "class=\"run\""), 2); /* those of the legend */
    cf_out_deinit(&out);
}

static void a_page_has_drawing_timeline_and_events(void)
{
    struct cf_out out = {0};

    make(pod, CF_SIM_HTML, false, &out);
    CHECK(strncmp(out.bytes, "<!doctype html>", 15) == 0);
    CHECK_INT(count(out.bytes, "<h1>a &lt;title&gt;</h1>"), 1);
    CHECK_INT(count(out.bytes, "<h2>a &lt;title&gt;</h2>"), 1);
    CHECK_INT(count(out.bytes, "<svg "), 2);
    CHECK_INT(count(out.bytes, "<h3>Events</h3>"), 2);
    CHECK(strstr(out.bytes, "<td>Unhealthy</td>") != NULL);
    CHECK(strstr(out.bytes, "<a href=\"#S-231\">S-231</a>") != NULL);
    CHECK_INT(count(out.bytes, "<dt id=\"S-231\">S-231</dt>"), 1);
    CHECK_INT(count(out.bytes, "http:") + count(out.bytes, "https:"), 0); /* needs nothing else */
    check_tags(out.bytes);
    cf_out_deinit(&out);
}

static void ranges_are_drawn(void)
{
    struct cf_out out = {0};

    make(pod, CF_SIM_SVG, true, &out);
    CHECK(strstr(out.bytes, "<title>kill 1: ") != NULL);
    check_tags(out.bytes);
    cf_out_clear(&out);
    make(pod, CF_SIM_HTML, true, &out);
    CHECK(strstr(out.bytes, "<td>restart 1</td>") != NULL);
    CHECK(strstr(out.bytes, "LEFT TO CHANCE") != NULL);
    check_tags(out.bytes);
    cf_out_deinit(&out);
}

static void the_same_bytes_each_time(void)
{
    struct cf_out first = {0};
    struct cf_out second = {0};

    make(pod, CF_SIM_HTML, false, &first);
    make(pod, CF_SIM_HTML, false, &second);
    CHECK_TEXT(cf_out_text(&first), cf_out_text(&second));
    cf_out_deinit(&first);
    cf_out_deinit(&second);
}

const struct unit_test sim_page_test[] = {
    {"an SVG is one document", an_svg_is_one_document},
    {"what is never ready is not green", what_is_never_ready_is_not_green},
    {"a page has drawing, timeline and events", a_page_has_drawing_timeline_and_events},
    {"ranges are drawn", ranges_are_drawn},
    {"the same bytes each time", the_same_bytes_each_time},
    {0},
};
