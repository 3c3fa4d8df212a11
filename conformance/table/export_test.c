#include "conformance/table/export.h"

#include "fakes/unit.h"

#include <string.h>

#define HEAD                                                                                       \
    "about: x\ncases:\n  - id: a\n    why: because\n    rules: [P-046]\n    since: \"1.29\"\n"

/* The export of the only case of a file. */
static void check_case(const char *file, const char *wanted)
{
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    struct cf_out out = {0};

    if (CHECK_INT(cf_suite_add(&suite, "f.yaml", kp_text_of(file)), KP_OK)) {
        cf_export_case(&out, &suite.arena, &suite.cases[0]);
        cf_out_put_char(&out, '\0');
        CHECK_STRING(out.bytes, wanted);
    }
    cf_out_deinit(&out);
    cf_suite_deinit(&suite);
}

static void what_went_back_to_older_minors_has_exceptions(void)
{
    check_case(
        "about: x\ncases:\n  - {id: a, why: because, rules: [P-046], since: [\"1.22.11\", "
        "\"1.24.2\"], until: [\"1.25.3\", \"1.26\"], layer: port, port: 1, is: 1}\n",
        "{\"id\":\"a\",\"topic\":\"f\",\"why\":\"because\",\"rules\":[\"P-046\"],"
        "\"since\":\"1.22.11\",\"until\":\"1.26\",\"except\":[{\"since\":\"1.24\",\"until\":"
        "\"1.24.1\"},{\"since\":\"1.25.4\",\"until\":\"1.25\"}],\"level\":\"must\",\"layer\":"
        "\"port\",\"features\":[],\"gates\":{},\"source\":\"\",\"upstream\":[],\"issues\":[],"
        "\"given\":{\"port\":1},\"wanted\":{\"is\":1}}\n");
}

static void a_question_is_asked_and_answered(void)
{
    check_case(
        HEAD "    layer: port\n    gates: {ExecProbeTimeout: true}\n    port: \"80\"\n    is: 80\n",
        "{\"id\":\"a\",\"topic\":\"f\",\"why\":\"because\",\"rules\":[\"P-046\"],"
        "\"since\":\"1.29\",\"until\":\"1.37\",\"level\":\"must\",\"layer\":\"port\","
        "\"features\":[\"gates\"],\"gates\":{\"ExecProbeTimeout\":true},\"source\":\"\","
        "\"upstream\":[],\"issues\":[],\"given\":{\"port\":\"80\"},\"wanted\":{\"is\":80}}\n");
}

/* What stands behind `given`. */
static void check_wanted(const char *file, const char *wanted)
{
    struct cf_suite suite = {.arena.mem = cf_libc_mem()};
    struct cf_out out = {0};
    const char *found = NULL;

    if (CHECK_INT(cf_suite_add(&suite, "f.yaml", kp_text_of(file)), KP_OK)) {
        cf_export_case(&out, &suite.arena, &suite.cases[0]);
        cf_out_put_char(&out, '\0');
        found = strstr(out.bytes, "\"wanted\":");
    }
    CHECK_STRING(found ? found : "", wanted);
    cf_out_deinit(&out);
    cf_suite_deinit(&suite);
}

static void a_trace_is_a_list_of_effects(void)
{
    check_wanted(
        HEAD "    layer: pod\n    probe: {type: liveness}\n    trace: |\n"
             "      10s,20s web/1 probe liveness\n"
             "      21s..22.5s web event Warning Unhealthy \"a b\"\n"
             "      maybe 23s web ready\n    never: |\n      web/1 kill 30s\n",
        "\"wanted\":{\"traces\":[{\"effects\":["
        "{\"at\":10000,\"effect\":\"probe\",\"words\":[\"web/1\",\"probe\",\"liveness\"]},"
        "{\"at\":20000,\"effect\":\"probe\",\"words\":[\"web/1\",\"probe\",\"liveness\"]},"
        "{\"at\":21000,\"until\":22500,\"effect\":\"event\",\"words\":[\"web\",\"event\","
        "\"Warning\",\"Unhealthy\",\"a b\"]},"
        "{\"at\":23000,\"maybe\":true,\"effect\":\"ready\",\"words\":[\"web\",\"ready\"]}]}],"
        "\"never\":[{\"effect\":\"kill\",\"words\":[\"web/1\",\"kill\",\"30s\"]}],"
        "\"end\":23000}}\n");
}

const struct unit_test export_test[] = {
    {"what went back to older minors has exceptions",
     what_went_back_to_older_minors_has_exceptions},
    {"a question is asked and answered", a_question_is_asked_and_answered},
    {"a trace is a list of effects", a_trace_is_a_list_of_effects},
    {0},
};
