#include "conformance/protocol/wire.h"

#include "fakes/unit.h"

#include <stdio.h>

/* A pod with the containers `app` and `side`. */
static const struct kp_container containers[] = {{.name = {"app", 3}, .kind = KP_REGULAR},
                                                 {.name = {"side", 4}, .kind = KP_REGULAR}};
static const struct kp_pod pod = {.name = {"p", 1}, .containers = containers, .regular_count = 2};
static const struct kp_pod other = {.name = {"q", 1}, .containers = containers, .regular_count = 1};
static const struct kp_pod *list[] = {&pod, &other};
static const struct cf_wire_pods one = {list, 1};
static const struct cf_wire_pods both = {list, 2};

struct bench {
    struct cf_arena arena;
    struct cf_reader reader;
    struct cf_out out;
};

static void set_up(struct bench *bench)
{
    bench->arena = (struct cf_arena){.mem = cf_libc_mem()};
    bench->reader = (struct cf_reader){.arena = &bench->arena};
    bench->out = (struct cf_out){0};
}

static void tear_down(struct bench *bench)
{
    cf_arena_deinit(&bench->arena);
    cf_out_deinit(&bench->out);
}

static const struct cf_node *parse(struct bench *bench, const char *line)
{
    const struct cf_node *node = cf_read_line(&bench->reader, kp_text_of(line));

    CHECK(node != NULL);
    return node;
}

static void effects_survive_the_way_there_and_back(void)
{
    static const char *const lines[] = {
        "{\"e\":\"probe\",\"n\":7,\"container\":\"app\",\"cid\":\"c1\",\"type\":\"startup\","
        "\"attempt\":3}",
        "{\"e\":\"result\",\"container\":\"side\",\"cid\":\"c2\",\"type\":\"liveness\",\"value\":"
        "\"unknown\"}",
        "{\"e\":\"result\",\"container\":\"side\",\"cid\":\"c2\",\"type\":\"readiness\",\"value\":"
        "\"failure\"}",
        "{\"e\":\"started\",\"container\":\"app\",\"value\":true}",
        "{\"e\":\"ready\",\"container\":\"app\",\"value\":false}",
        "{\"e\":\"hook\",\"n\":9,\"container\":\"app\",\"cid\":\"c1\",\"type\":\"preStop\"}",
        "{\"e\":\"kill\",\"container\":\"app\",\"cid\":\"c1\",\"grace\":30,\"message\":\"so\","
        "\"reason\":\"liveness\"}",
        "{\"e\":\"sandbox\",\"do\":\"stop\",\"attempt\":1}",
        "{\"e\":\"start\",\"container\":\"app\",\"restart\":2}",
        "{\"e\":\"backoff\",\"container\":\"app\",\"delay\":10000}",
        "{\"e\":\"event\",\"container\":\"\",\"type\":\"Warning\",\"reason\":\"R\",\"message\":"
        "\"m\"}",
        "{\"e\":\"state\",\"container\":\"app\",\"state\":\"waiting:CrashLoopBackOff: back-off: "
        "10s\",\"last\":\"terminated:Error:-1: x\",\"restarts\":1}",
        "{\"e\":\"state\",\"container\":\"app\",\"state\":\"running\",\"last\":\"\",\"restarts\":"
        "0}",
        "{\"e\":\"phase\",\"value\":\"Running\"}",
        "{\"e\":\"condition\",\"type\":\"Ready\",\"status\":\"False\",\"reason\":"
        "\"ContainersNotReady\",\"message\":\"containers with unready status: [app]\"}",
        "{\"e\":\"apidelete\"}",
        "{\"e\":\"sync\",\"cause\":\"relist\"}",
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct kp_effect effect;
        struct bench bench;

        set_up(&bench);
        if (CHECK(cf_read_effect(&bench.reader, parse(&bench, lines[i]), &one, &effect)))
            cf_put_effect(&bench.out, &effect, false);
        else
            printf("    %.*s\n", KP_ARG(bench.reader.why));
        CHECK_TEXT(cf_out_text(&bench.out), kp_text_of(lines[i]));
        tear_down(&bench);
    }
}

static void effects_of_another_shape_are_refused(void)
{
    static const struct {
        const char *line;
        const char *why;
    } rows[] = {
        {"[]", "an effect must be an object"},
        {"{\"x\":1}", "`e` is missing"},
        {"{\"e\":\"jump\"}",
         "`e` cannot be \"jump\", but probe, result, started, ready, hook, kill, sandbox, start, "
         "backoff, event, state, phase, condition, apidelete, sync"},
        {"{\"e\":\"apidelete\",\"at\":1}", "`apidelete` has no field \"at\""},
        {"{\"e\":\"phase\"}", "`value` is missing"},
        {"{\"e\":\"phase\",\"value\":null}", "`value` is null"},
        {"{\"e\":\"phase\",\"value\":\"Dead\"}",
         "`value` cannot be \"Dead\", but Pending, Running, Succeeded, Failed, Unknown"},
        {"{\"e\":\"phase\",\"value\":\"Running\",\"value\":\"Failed\"}", "`value` is there twice"},
        {"{\"e\":\"ready\",\"container\":\"app\",\"value\":1}",
         "`value` must be true or false, not a number"},
        {"{\"e\":\"ready\",\"container\":\"web\",\"value\":true}",
         "the pod has no container \"web\""},
        {"{\"e\":\"start\",\"container\":\"app\",\"restart\":1.5}", "`restart` must be an integer"},
        {"{\"e\":\"start\",\"container\":\"app\",\"restart\":-1}",
         "`restart` is -1, which is not between 0 and 2147483647"},
        {"{\"e\":\"state\",\"container\":\"app\",\"state\":\"terminated:Error:x\",\"restarts\":0}",
         "`state` is no state: \"terminated:Error:x\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct kp_effect effect;
        struct bench bench;

        set_up(&bench);
        CHECK(!cf_read_effect(&bench.reader, parse(&bench, rows[i].line), &one, &effect));
        CHECK_TEXT(bench.reader.why, kp_text_of(rows[i].why));
        tear_down(&bench);
    }
}

static void empty_texts_may_be_left_out_of_effects(void)
{
    struct kp_effect effect;
    struct bench bench;

    set_up(&bench);
    CHECK(cf_read_effect(&bench.reader,
                         parse(&bench, "{\"e\":\"event\",\"type\":\"Normal\",\"reason\":\"R\"}"),
                         &one, &effect));
    CHECK_INT(effect.container, -1);
    tear_down(&bench);
}

static void events_survive_the_way_there_and_back(void)
{
    static const char *const lines[] = {
        "{\"e\":\"answer\",\"n\":3,\"result\":\"failure\",\"output\":\"no\",\"code\":1}",
        "{\"e\":\"answer\",\"n\":3,\"result\":\"timeout\"}",
        "{\"e\":\"running\",\"container\":\"app\",\"cid\":\"c1\",\"restarts\":1}",
        "{\"e\":\"running\",\"container\":\"app\",\"cid\":\"c1\",\"restarts\":0,\"startedAt\":-"
        "2500}",
        "{\"e\":\"exited\",\"container\":\"side\",\"cid\":\"c1\",\"code\":137,\"reason\":"
        "\"Error\"}",
        "{\"e\":\"waiting\",\"container\":\"app\",\"reason\":\"ImagePullBackOff\"}",
        "{\"e\":\"startfail\",\"container\":\"app\",\"cid\":\"c9\",\"reason\":"
        "\"RunContainerError\","
        "\"message\":\"no\"}",
        "{\"e\":\"killfail\",\"container\":\"app\",\"cid\":\"c1\",\"message\":\"busy\"}",
        "{\"e\":\"sandbox\",\"do\":\"create\",\"attempt\":0}",
        "{\"e\":\"sandbox\",\"do\":\"stop\",\"attempt\":2,\"error\":\"gone\"}",
        "{\"e\":\"sync\"}",
        "{\"e\":\"phase\",\"value\":\"Succeeded\"}",
        "{\"e\":\"nostatus\"}",
        "{\"e\":\"delete\",\"grace\":5}",
        "{\"e\":\"remove\"}",
        "{\"e\":\"cleanup\"}",
        "{\"e\":\"cleanup\",\"keep\":true}",
        "{\"e\":\"kubelet-restart\",\"down\":1500}",
        "{\"e\":\"clock\",\"by\":-3000}",
        "{\"e\":\"runtime-down\"}",
        "{\"e\":\"runtime-up\"}",
        "{\"e\":\"stop\"}",
        "{\"e\":\"addpod\"}",
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct kp_event event;
        struct bench bench;
        bool known = false;

        set_up(&bench);
        CHECK(cf_read_event(&bench.reader, parse(&bench, lines[i]), &one, NULL, &event, &known));
        CHECK(known);
        cf_put_event(&bench.out, &one, &event);
        CHECK_TEXT(cf_out_text(&bench.out), kp_text_of(lines[i]));
        tear_down(&bench);
    }
}

static void unknown_events_and_fields_are_ignored(void)
{
    struct kp_event event;
    struct bench bench;
    bool known = true;

    set_up(&bench);
    CHECK(cf_read_event(&bench.reader, parse(&bench, "{\"e\":\"earthquake\",\"n\":\"x\"}"), &one,
                        NULL, &event, &known));
    CHECK(!known);
    CHECK(cf_read_event(&bench.reader,
                        parse(&bench, "{\"e\":\"running\",\"container\":\"app\",\"cid\":\"c\","
                                      "\"restarts\":2.0,\"mood\":[]}"),
                        &one, NULL, &event, &known));
    CHECK(known);
    CHECK_INT(event.u.running.restarts, 2);
    tear_down(&bench);
}

static void events_that_lack_something_are_refused(void)
{
    static const char *const lines[] = {
        "{}",
        "7",
        "{\"e\":7}",
        "{\"e\":\"answer\",\"result\":\"success\"}",
        "{\"e\":\"answer\",\"n\":1}",
        "{\"e\":\"answer\",\"n\":-1,\"result\":\"success\"}",
        "{\"e\":\"answer\",\"n\":1,\"result\":\"fine\"}",
        "{\"e\":\"running\",\"cid\":\"c\"}",
        "{\"e\":\"running\",\"container\":\"app\"}",
        "{\"e\":\"running\",\"container\":\"nope\",\"cid\":\"c\"}",
        "{\"e\":\"exited\",\"container\":\"app\",\"code\":99999999999}",
        "{\"e\":\"sandbox\"}",
        "{\"e\":\"phase\",\"value\":\"Dead\"}",
        "{\"e\":\"update\"}",
        "{\"e\":\"kubelet-restart\",\"down\":-1}",
        "{\"e\":\"clock\",\"by\":\"1s\"}",
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct kp_event event;
        struct bench bench;
        bool known = false;

        set_up(&bench);
        if (!CHECK(
                !cf_read_event(&bench.reader, parse(&bench, lines[i]), &one, NULL, &event, &known)))
            printf("    %s\n", lines[i]);
        CHECK(bench.reader.why.len > 0);
        tear_down(&bench);
    }
}

static void lines_beyond_the_guards_are_refused(void)
{
    static const char *const lines[] = {"", "{", "{} {}", "{\"a\":\"\xFF\"}",
                                        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
                                        "[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
                                        "]]]]]]]]]]]]]]]]]"};

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct bench bench;

        set_up(&bench);
        CHECK(cf_read_line(&bench.reader, kp_text_of(lines[i])) == NULL);
        CHECK(bench.reader.why.len > 0);
        tear_down(&bench);
    }
}

static void open_reads_what_it_wrote(void)
{
    static const char line[] =
        "{\"layer\":\"pod\",\"uptime\":120500,\"wall\":250,\"jitter\":{\"app/liveness\":0.25,"
        "\"side/startup\":0.000000001},\"requeueJitter\":0.5,\"syncFrequency\":90000";
    struct fake_open open;
    struct bench bench;
    char whole[400];

    set_up(&bench);
    snprintf(whole, sizeof whole, "%s}", line);
    CHECK(cf_read_open(&bench.reader, parse(&bench, whole), &open));
    CHECK_INT(open.uptime_ns, INT64_C(120500000000));
    CHECK_INT(open.jitter_rows[0].delay_ppb, 250000000);
    cf_out_put_char(&bench.out, '{');
    cf_put_open(&bench.out, &open);
    CHECK_TEXT(cf_out_text(&bench.out), kp_text_of(line));
    tear_down(&bench);
}

static void open_has_defaults_and_limits(void)
{
    static const char *const wrong[] = {
        "{}",
        "{\"layer\":\"port\"}",
        "{\"layer\":\"probe\",\"uptime\":-1}",
        "{\"layer\":\"probe\",\"syncFrequency\":0}",
        "{\"layer\":\"probe\",\"requeueJitter\":1.01}",
        "{\"layer\":\"probe\",\"jitter\":\"some\"}",
        "{\"layer\":\"probe\",\"jitter\":{\"app\":0.5}}",
        "{\"layer\":\"probe\",\"jitter\":{\"app/liveness\":\"0.5\"}}",
        "{\"layer\":\"probe\",\"wall\":1e300}",
    };
    struct fake_open open;
    struct bench bench;

    set_up(&bench);
    CHECK(cf_read_open(&bench.reader, parse(&bench, "{\"layer\":\"probe\"}"), &open));
    CHECK_INT(open.sync_frequency_ns, 60 * KP_NS_PER_S);
    CHECK_INT(open.jitter, FAKE_JITTER_NONE);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (!CHECK(!cf_read_open(&bench.reader, parse(&bench, wrong[i]), &open)))
            printf("    %s\n", wrong[i]);
    tear_down(&bench);
}

static void hello_reads_what_it_wrote(void)
{
    static const char line[] =
        "{\"protocol\":1,\"k8s\":\"1.36\",\"gates\":{\"A\":true,\"B\":false},"
        "\"seed\":18446744073709551615}";
    struct cf_hello hello;
    struct bench bench;

    set_up(&bench);
    CHECK(cf_read_hello(&bench.reader, parse(&bench, line), &hello));
    cf_out_put_char(&bench.out, '{');
    cf_put_hello(&bench.out, &hello);
    cf_out_put_char(&bench.out, '}');
    CHECK_TEXT(cf_out_text(&bench.out), kp_text_of(line));
    tear_down(&bench);
}

static void replies_to_hello_are_judged(void)
{
    static const struct {
        const char *line;
        bool fine;
    } rows[] = {
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[\"probe\"]}", true},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[\"probe\",\"dance\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"features\":[\"pods\",\"clock\"]}", true},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"features\":[\"flying\"]}", false},
        {"{\"protocol\":2,\"name\":\"x\",\"layers\":[]}", false},
        {"{\"protocol\":1,\"layers\":[]}", false},
        {"{\"protocol\":1,\"name\":\"x\"}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"mood\":1}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"clock\":\"sun\"}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"observes\":[\"kill\",7]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"k8s\":\"1.36\"}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"k8s\":[\"1.36\",\"1.99.1\"]}", true},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"k8s\":[\"v1.36\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"k8s\":[\"1\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"k8s\":[\"1.\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"k8s\":[\"1..2\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"k8s\":[\".36\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"k8s\":[\"1.36.4.1\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"k8s\":[\"\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"lacks\":[\"startup\"]}", true},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"lacks\":[\"pods\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"tier\":\"contract\"}", true},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"tier\":\"most\"}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"tier\":1}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"tier\":{\"pod\":\"exact\"}}", true},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"tier\":{\"pod\":\"most\"}}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"tier\":{\"pot\":\"exact\"}}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"tier\":{\"pod\":1}}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"tier\":[\"exact\"]}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"initial\":{\"startup\":\"failure\"}}",
         true},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"initial\":{\"start\":\"failure\"}}",
         false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"initial\":{\"startup\":\"maybe\"}}",
         false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"initial\":\"unknown\"}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"speed\":50}", false},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"clock\":\"real\",\"speed\":50}", true},
        {"{\"protocol\":1,\"name\":\"x\",\"layers\":[],\"clock\":\"real\",\"speed\":0}", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cf_hello_ok ok;
        struct bench bench;

        set_up(&bench);
        CHECK_INT(cf_read_hello_ok(&bench.reader, parse(&bench, rows[i].line), &ok), rows[i].fine);
        CHECK(!rows[i].fine || ok.observes[KP_EFFECT_KILL]);
        tear_down(&bench);
    }
}

/* What is read is written again as it was. */
static void replies_to_hello_come_back(void)
{
    static const char *const tiers[][2] = {
        {"\"contract\"", "tier contract"},
        {"{\"probe\":\"exact\",\"pod\":\"contract\"}", "tier exact of probe, contract of pod"},
        {"{\"pod\":\"kubelet\"}", "tier kubelet of pod"},
    };

    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++) {
        struct cf_hello_ok ok;
        struct bench bench;
        char line[500];

        snprintf(line, sizeof line,
                 "{\"protocol\":1,\"name\":\"x\",\"version\":\"1\",\"language\":\"C\",\"url\":\"\","
                 "\"k8s\":[\"1.37\"],\"layers\":[\"probe\",\"fire\"],\"features\":[\"own-grid\"],"
                 "\"lacks\":[\"startup\",\"triggers\"],\"observes\":[\"result\",\"text\"],"
                 "\"tier\":%s,\"initial\":{\"readiness\":\"unknown\"},"
                 "\"clock\":\"real\",\"speed\":20}",
                 tiers[i][0]);
        set_up(&bench);
        CHECK(cf_read_hello_ok(&bench.reader, parse(&bench, line), &ok));
        CHECK(!ok.observes_part[CF_FIRE_REQUEST]);
        cf_put_hello_ok(&bench.out, &ok);
        CHECK_TEXT(cf_out_text(&bench.out), kp_text_of(line));
        cf_out_clear(&bench.out);
        cf_put_tiers(&bench.out, &ok);
        CHECK_TEXT(cf_out_text(&bench.out), kp_text_of(tiers[i][1]));
        tear_down(&bench);
    }
}

static void answers_of_another_shape_are_refused(void)
{
    static const struct {
        enum cf_layer layer;
        const char *ok;
        const char *why; /* "": it is as it should be */
    } rows[] = {
        {CF_LAYER_PORT, "{\"port\":80}", ""},
        {CF_LAYER_PORT, "{\"port\":8e1}", ""},
        {CF_LAYER_PORT, "{\"port\":\"80\"}", "`port` must be a number, not a string"},
        {CF_LAYER_PORT, "{\"port\":80.5}", "`port` must be an integer"},
        {CF_LAYER_PORT, "{\"port\":80,\"port\":81}", "`port` is there twice"},
        {CF_LAYER_PORT, "{\"port\":80,\"note\":1}", "`ok` has no field \"note\""},
        {CF_LAYER_PORT, "{}", "`ok` lacks `port`"},
        {CF_LAYER_PORT, "{\"invalid\":\"\"}", ""},
        {CF_LAYER_PORT, "{\"invalid\":7}", "`invalid` must be a string, not a number"},
        {CF_LAYER_PORT, "{\"port\":80,\"invalid\":\"x\"}",
         "where there is `invalid` there is nothing else"},
        {CF_LAYER_CHECK, "{\"undecodable\":\"x\"}", ""},
        {CF_LAYER_CHECK,
         "{\"pod\":{\"a\":1},\"errors\":[{\"field\":\"f\",\"type\":\"t\",\"detail\":\"d\",\"text\":"
         "\"x\"}],"
         "\"warnings\":[\"w\"]}",
         ""},
        {CF_LAYER_CHECK, "{\"pod\":{},\"errors\":[{\"field\":\"f\"}],\"warnings\":[]}",
         "`errors` lacks `type`"},
        {CF_LAYER_CHECK, "{\"pod\":{},\"errors\":[\"x\"],\"warnings\":[]}",
         "`errors` must be a list of objects"},
        {CF_LAYER_CHECK, "{\"pod\":{},\"errors\":[],\"warnings\":[7]}",
         "`warnings` must be a list of strings"},
        {CF_LAYER_CHECK, "{\"pod\":{},\"errors\":[]}", "`ok` lacks `warnings`"},
        {CF_LAYER_ACTIONS,
         "{\"killPod\":false,\"createSandbox\":false,\"sandboxAttempt\":0,\"start\":[],"
         "\"startInit\":[],"
         "\"startEphemeral\":[],\"kill\":[{\"container\":\"a\",\"cid\":\"c\",\"message\":\"\","
         "\"reason\":\"\",\"restart\":1}]}",
         "`restart` must be true or false, not a number"},
        {CF_LAYER_EVENTS,
         "{\"events\":[{\"container\":\"\",\"type\":\"Normal\",\"reason\":\"r\",\"message\":\"\","
         "\"count\":1,\"first\":0,\"last\":0}]}",
         ""},
        {CF_LAYER_EVENTS, "{\"events\":null}", "`events` must be a list, not null"},
        {CF_LAYER_KUBECTL,
         "{\"columns\":{\"READY\":\"\",\"STATUS\":\"\",\"RESTARTS\":\"\"},\"describe\":[]}", ""},
        {CF_LAYER_KUBECTL, "{\"columns\":{\"READY\":\"\",\"AGE\":\"\"},\"describe\":[]}",
         "`columns` has no field \"AGE\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bench bench;

        set_up(&bench);
        CHECK_INT(cf_check_answer(&bench.reader, rows[i].layer, parse(&bench, rows[i].ok)),
                  rows[i].why[0] == '\0');
        CHECK_TEXT(bench.reader.why, kp_text_of(rows[i].why));
        tear_down(&bench);
    }
}

/* With several pods each effect and event names its own; with one, none does. */
static void pods_are_named_where_there_are_several(void)
{
    static const char *const effects[] = {
        "{\"e\":\"start\",\"pod\":\"q\",\"container\":\"app\",\"restart\":2}",
        "{\"e\":\"apidelete\",\"pod\":\"p\"}",
    };
    static const char *const wrong[] = {
        "{\"e\":\"start\",\"container\":\"app\",\"restart\":2}",
        "{\"e\":\"start\",\"pod\":\"r\",\"container\":\"app\",\"restart\":2}",
        "{\"e\":\"start\",\"pod\":1,\"container\":\"app\",\"restart\":2}",
        "{\"e\":\"start\",\"pod\":\"q\",\"container\":\"side\",\"restart\":2}",
    };
    static const char *const events[] = {
        ("{\"e\":\"exited\",\"pod\":\"q\",\"container\":\"app\",\"cid\":\"c\",\"code\":1,"
         "\"reason\":"
         "\"Error\"}"),
        "{\"e\":\"delete\",\"pod\":\"p\",\"grace\":3}",
        "{\"e\":\"runtime-down\"}",
    };
    struct kp_effect effect;
    struct kp_event event;
    struct bench bench;
    bool known;

    set_up(&bench);
    for (size_t i = 0; i < sizeof effects / sizeof effects[0]; i++) {
        cf_out_clear(&bench.out);
        CHECK(cf_read_effect(&bench.reader, parse(&bench, effects[i]), &both, &effect));
        CHECK_INT(effect.pod, 1 - i);
        cf_put_effect(&bench.out, &effect, true);
        CHECK_TEXT(cf_out_text(&bench.out), kp_text_of(effects[i]));
        CHECK(!cf_read_effect(&bench.reader, parse(&bench, effects[i]), &one, &effect));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK(!cf_read_effect(&bench.reader, parse(&bench, wrong[i]), &both, &effect));
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        cf_out_clear(&bench.out);
        CHECK(cf_read_event(&bench.reader, parse(&bench, events[i]), &both, NULL, &event, &known));
        CHECK_INT(event.pod, i == 0);
        cf_put_event(&bench.out, &both, &event);
        CHECK_TEXT(cf_out_text(&bench.out), kp_text_of(events[i]));
    }
    CHECK(!cf_read_event(&bench.reader, parse(&bench, "{\"e\":\"delete\",\"grace\":3}"), &both,
                         NULL, &event, &known));
    tear_down(&bench);
}

const struct unit_test wire_test[] = {
    {"effects survive the way there and back", effects_survive_the_way_there_and_back},
    {"effects of another shape are refused", effects_of_another_shape_are_refused},
    {"empty texts may be left out of effects", empty_texts_may_be_left_out_of_effects},
    {"events survive the way there and back", events_survive_the_way_there_and_back},
    {"unknown events and fields are ignored", unknown_events_and_fields_are_ignored},
    {"events that lack something are refused", events_that_lack_something_are_refused},
    {"lines beyond the guards are refused", lines_beyond_the_guards_are_refused},
    {"open reads what it wrote", open_reads_what_it_wrote},
    {"open has defaults and limits", open_has_defaults_and_limits},
    {"hello reads what it wrote", hello_reads_what_it_wrote},
    {"replies to hello are judged", replies_to_hello_are_judged},
    {"replies to hello come back", replies_to_hello_come_back},
    {"answers of another shape are refused", answers_of_another_shape_are_refused},
    {"pods are named where there are several", pods_are_named_where_there_are_several},
    {0},
};
