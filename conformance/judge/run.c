#include "conformance/judge/run.h"

#include "conformance/fire/fire.h"
#include "conformance/pod/pod_decode.h"
#include "conformance/protocol/questions.h"
#include "conformance/protocol/stored_pod.h"
#include "conformance/table/case_question.h"
#include "conformance/table/standing.h"
#include "conformance/text/yaml.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The profile of a version with the case's gates; KP_EUNKNOWN, KP_EINPUT: it cannot be so. */
static enum kp_err profile_of(const struct cf_case *item, struct kp_text version,
                              struct kp_profile *profile)
{
    enum kp_err err = kp_profile_init(profile, version);

    for (size_t i = 0; err == KP_OK && i < item->gate_count; i++)
        err = kp_profile_set_gate(profile, item->gates[i].name, item->gates[i].on);
    return err;
}

/* One case being played. */
struct playing {
    const struct cf_run *run;
    const struct cf_case *item;
    struct kp_profile profile;
    struct cf_arena *arena;
    struct cf_outcome *out;
};

static bool conclude(const struct playing *p, enum cf_verdict verdict, struct kp_text why)
{
    *p->out = (struct cf_outcome){
        .verdict = verdict, .why = why, .signature = verdict == CF_SKIP ? KP_TEXT_NONE : why};
    return false;
}

/* It refused the case as `unsupported`, and does not claim the feature of refusing none. */
static bool has_declined(const struct playing *p)
{
    const struct cf_hello_ok *about = cf_subject_about(p->run->subject);

    return cf_subject_declined(p->run->subject) &&
           !(p->item->layer == CF_LAYER_ACTIONS &&
             cf_listed(&about->features, KP_TEXT("any-state")));
}

/* The subject failed: what its error says, or else the world. */
static void conclude_error(const struct playing *p)
{
    struct cf_subject *subject = p->run->subject;
    enum cf_adapter_error error = cf_subject_error(subject);

    if (has_declined(p)) {
        conclude(p, CF_SKIP, cf_arena_text(p->arena, cf_subject_why(subject)));
        return;
    }
    conclude(p, cf_adapter_error_verdict(error), cf_arena_text(p->arena, cf_subject_why(subject)));
    p->out->log = cf_arena_text(p->arena, cf_subject_log(subject));
}

/* ---- is it to be judged at all? -------------------------------------------------------------- */

static uint32_t observes(const struct cf_hello_ok *about)
{
    uint32_t kinds = 0;

    if (!about->says_observes)
        return CF_OBSERVES_ALL;
    for (int kind = 0; kind < CF_EFFECT_KINDS; kind++)
        if (about->observes[kind])
            kinds |= 1u << kind;
    return kinds;
}

/* With one reason for all such cases, so that a summary has one line; a case has its version. */
static bool skip_version(const struct playing *p)
{
    const struct cf_hello_ok *about = cf_subject_about(p->run->subject);
    struct kp_text last = KP_TEXT_NONE;

    if (!about || about->k8s.count == 0)
        return conclude(p, CF_SKIP, KP_TEXT("it does not play that version"));
    if (about->k8s.count > 1)
        last =
            cf_arena_format(p->arena, " ... %.*s", KP_ARG(about->k8s.items[about->k8s.count - 1]));
    return conclude(p, CF_SKIP,
                    cf_arena_format(p->arena, "it does not play that version (it plays %.*s%.*s)",
                                    KP_ARG(about->k8s.items[0]), KP_ARG(last)));
}

/* Must it not refuse to play that version with those gates? */
static bool claims_hello(const struct playing *p)
{
    const struct cf_hello_ok *about = cf_subject_about(p->run->subject);

    return about && cf_version_listed(&about->k8s, &p->profile) &&
           (p->item->gate_count == 0 || cf_listed(&about->features, KP_TEXT("gates")));
}

static struct cf_declared declared_of(const struct cf_hello_ok *about, enum cf_tier tier)
{
    struct cf_declared declared = cf_declared_by_kubelet(observes(about));

    declared.any_wording = tier != CF_TIER_EXACT;
    memcpy(declared.initial, about->initial, sizeof declared.initial);
    return declared;
}

/* A first value that it declares to be another, of a type that the case has and is about? */
static bool has_other_first(const struct cf_case *item, const struct cf_hello_ok *about)
{
    for (int type = 0; type < KP_PROBE_TYPES; type++)
        if (about->initial[type] != CF_NO_WORD && cf_case_shows(item, KP_RULE_INITIAL_RESULT) &&
            cf_listed(&item->plain, kp_text_of(cf_word(&cf_probe_type_words, type))))
            return true;
    return false;
}

static bool has_time(const struct cf_case *item)
{
    return item->kind == CF_PLAY || item->kind == CF_SCENARIO;
}

static bool is_claimed(const struct playing *p)
{
    const struct cf_hello_ok *about = cf_subject_about(p->run->subject);
    const struct cf_case *item = p->item;

    if (about->k8s.count > 0 && !cf_version_listed(&about->k8s, &p->profile))
        return skip_version(p);
    if (!about->layers[item->layer])
        return conclude(
            p, CF_SKIP,
            cf_arena_format(p->arena, "it does not claim layer %s", cf_layer_name(item->layer)));
    for (size_t i = 0; i < item->features.count; i++)
        if (!cf_listed(&about->features, item->features.items[i]))
            return conclude(p, CF_SKIP,
                            cf_arena_format(p->arena, "it does not claim feature %.*s",
                                            KP_ARG(item->features.items[i])));
    for (size_t i = 0; i < item->plain.count; i++)
        if (cf_listed(&about->lacks, item->plain.items[i]))
            return conclude(
                p, CF_SKIP,
                cf_arena_format(p->arena, "it lacks %.*s", KP_ARG(item->plain.items[i])));
    if (has_other_first(item, about))
        return conclude(p, CF_SKIP, KP_TEXT("its first values are its own"));
    if (item->kind == CF_SCENARIO && !cf_case_in_contract(item) && about->real_clock)
        return conclude(p, CF_SKIP, KP_TEXT("its clock is real: exact instants are not judged"));
    if (item->kind == CF_SCENARIO && !cf_case_in_contract(item) &&
        cf_listed(&about->features, KP_TEXT("own-grid")))
        return conclude(p, CF_SKIP,
                        KP_TEXT("its grid is its own: instants of the kubelet's are not judged"));
    if (has_time(item) && !cf_match_can_judge(item, observes(about)))
        return conclude(p, CF_SKIP,
                        KP_TEXT("it reports none of the effects that the case is about"));
    return true;
}

static bool begin(const struct playing *p, struct kp_text version)
{
    struct cf_hello hello = {.protocol = CF_PROTOCOL_VERSION,
                             .k8s = version,
                             .gate_count = p->item->gate_count,
                             .seed = p->run->seed};
    struct cf_gate_setting *gates =
        cf_arena_array(p->arena, p->item->gate_count + 1, sizeof *gates);

    for (size_t i = 0; gates && i < p->item->gate_count; i++)
        gates[i] = (struct cf_gate_setting){p->item->gates[i].name, p->item->gates[i].on};
    hello.gates = gates;
    if (gates && cf_subject_begin(p->run->subject, &hello))
        return true;
    conclude_error(p);
    if (cf_subject_error(p->run->subject) == CF_ERROR_REFUSED && !claims_hello(p))
        return skip_version(p);
    return false;
}

/* ---- plays and scenarios -----------------------------------------------------------------------
 */

/* NULL: the outcome says why. */
static const struct kp_pod *decode(const struct playing *p, const struct cf_node *tree)
{
    const struct kp_profile as_given = cf_as_stored(&p->profile);
    struct cf_pod pod;
    struct cf_node *sorted = cf_node_sorted(p->arena, tree);

    if (!sorted || cf_pod_decode(p->arena, &as_given, sorted, &pod) != KP_OK) {
        conclude(p, CF_FAIL, KP_TEXT("no memory for its pod"));
        return NULL;
    }
    if (!pod.pod)
        conclude(p, CF_FAIL,
                 cf_arena_format(p->arena, "the case's pod is undecodable: %.*s",
                                 KP_ARG(pod.fault.message)));
    return pod.pod;
}

/* The case's script with its updates decoded. */
static bool bind_script(const struct playing *p, struct fake_script *script)
{
    struct fake_script_event *script_events;

    *script = p->item->script;
    if (!p->item->updates)
        return true;
    script_events = cf_arena_array(p->arena, script->script_event_count + 1, sizeof *script_events);
    if (!script_events)
        return false;
    for (size_t i = 0; i < script->script_event_count; i++) {
        script_events[i] = script->script_events[i];
        if (!p->item->updates[i])
            continue;
        script_events[i].event.u.update = decode(p, p->item->updates[i]);
        if (!script_events[i].event.u.update)
            return false;
    }
    script->script_events = script_events;
    return true;
}

static bool bind_pods(const struct playing *p, struct fake_open *open)
{
    size_t count = p->item->pod_count;
    const struct kp_pod **pods = cf_arena_array(p->arena, count + 1, sizeof *pods);

    for (size_t i = 0; pods && i < count; i++) {
        pods[i] = decode(p, p->item->pods[i]);
        if (!pods[i])
            return false;
    }
    open->pods = pods;
    open->pod_count = count;
    return pods != NULL;
}

static struct fake_open open_of(const struct playing *p)
{
    const struct cf_case *item = p->item;

    return (struct fake_open){
        .layer = item->layer == CF_LAYER_POD ? FAKE_LAYER_POD : FAKE_LAYER_PROBE,
        .profile = &p->profile,
        .uptime_ns = item->uptime_ns,
        .wall_ns = item->wall_ns,
        .sync_frequency_ns = item->sync_frequency_ns,
        .requeue_ppb = item->requeue_ppb,
        .jitter = item->jitter,
        .jitter_rows = item->jitter_rows,
        .jitter_row_count = item->jitter_row_count,
        .seed = p->run->seed,
    };
}

/* speed: of real time; 0: in virtual time. */
static void run_scenario(const struct playing *p, int64_t speed)
{
    struct cf_subject *subject = p->run->subject;
    struct cf_record record;
    struct fake_run run = {.impl = cf_subject_interface(subject), .end_ns = p->item->end_ns};
    struct cf_declared declared = declared_of(cf_subject_about(subject), p->run->tier);
    enum fake_end end;

    run.open = open_of(p);
    run.open.speed = speed;
    if (speed > 0)
        run.end_ns += CF_PACE_NOISE_MAX_NS;
    if (!bind_pods(p, &run.open) || !bind_script(p, &run.script))
        return;
    cf_record_init(&record, p->arena, p->item);
    run.observer = cf_record_observer(&record);
    end = fake_world_run(&run, p->run->mem);
    if (cf_subject_pace(subject))
        declared.noise_ns = cf_pace_noise_ns(cf_subject_pace(subject));
    if (end == FAKE_END_DONE)
        cf_match(p->item, &record, &declared, p->arena, p->out);
    else if (cf_subject_error(subject) != CF_ERROR_NONE)
        conclude_error(p);
    else if (end == FAKE_END_PROTOCOL)
        conclude(p, CF_PROTOCOL, kp_text_of(run.error));
    else
        conclude(p, end == FAKE_END_LIVELOCK ? CF_LIVELOCK : CF_FAIL,
                 kp_text_of(fake_end_name(end)));
    if (p->out->verdict == CF_LIVELOCK)
        p->out->why = cf_arena_format(p->arena, "%.*s%.*s", KP_ARG(p->out->why),
                                      KP_ARG(cf_record_end(&record)));
}

/* What is not in the windows, and what comes too late, may be the machine's fault: no verdict. */
static void judge_pace(const struct playing *p)
{
    const struct cf_pace *pace = cf_subject_pace(p->run->subject);
    enum cf_verdict verdict = p->out->verdict;
    bool is_late = pace && pace->late_ns > CF_PACE_NOISE_MAX_NS;

    if (!pace || (verdict != CF_FAIL && verdict != CF_TIMEOUT && !(verdict == CF_PASS && is_late)))
        return;
    if (cf_pace_is_noisy(pace))
        conclude(p, CF_NOISY,
                 KP_TEXT("too noisy here: this machine's delays are a second of the case"));
    else if (is_late && verdict != CF_TIMEOUT)
        conclude(p, CF_TIMEOUT,
                 KP_TEXT("a reply came more than a second of the case after the instant that it "
                         "tells: its clock is behind"));
}

/* As fast as it can, and slower where that may be too fast for this machine: red is who is red at
 * a quarter of it, too, or once no noise is left to blame.  A machine's noise comes and goes, so
 * a case of some minutes is not given up at the first of it. */
static void run_in_real_time(const struct playing *p, int64_t speed)
{
    enum { TRIES = 3 };

    for (int again = 0, tries = 0;; again++) {
        const struct cf_pace *pace;

        run_scenario(p, speed);
        judge_pace(p);
        pace = cf_subject_pace(p->run->subject);
        tries += speed == 1;
        if (!pace ||
            (p->out->verdict != CF_FAIL && p->out->verdict != CF_TIMEOUT &&
             p->out->verdict != CF_NOISY) ||
            (speed == 1 && (p->out->verdict != CF_NOISY || tries == TRIES)) ||
            (again > 0 && cf_pace_is_quiet(pace)))
            return;
        speed = cf_pace_slower(pace);
    }
}

/* ---- questions ------------------------------------------------------------------------------- */

static const struct cf_node *ask(const struct playing *p)
{
    const char *op = cf_layer_name(p->item->layer);
    struct cf_reader reader = {.arena = p->arena};
    const struct cf_node *ok =
        cf_subject_ask(p->run->subject, op, cf_question_members(p->item, p->arena));

    if (!ok || cf_check_answer(&reader, p->item->layer, ok))
        return ok;
    cf_subject_break(p->run->subject, CF_ERROR_PROTOCOL,
                     cf_arena_format(p->arena, "its reply to `%s`: %.*s", op, KP_ARG(reader.why)));
    return NULL;
}

static void run_question(const struct playing *p)
{
    const struct cf_node *ok = ask(p);

    if (ok)
        cf_question_judge(p->item, ok, p->arena, p->out);
    else
        conclude_error(p);
}

/* ---- attempts
 * ------------------------------------------------------------------------------------ */

static void fire(const struct playing *p, int slower)
{
    struct kp_text version = cf_arena_format(p->arena, "1.%d", p->profile.minor);
    struct cf_fire_seen seen;

    if (!cf_fire_play(p->item, p->run->subject, version, slower, p->arena, &seen))
        conclude(p, CF_NOT_RUN,
                 cf_arena_format(p->arena, "its server could not be started: %s", strerror(errno)));
    else if (!seen.ok)
        conclude_error(p);
    else
        cf_fire_judge(p->item, &seen, cf_subject_about(p->run->subject)->observes_part, p->arena,
                      p->out);
    if (p->run->seen)
        *p->run->seen = seen;
}

/* On a machine that is busy with others, times may be too short: red is who is so in four times
 * as long. */
static void run_attempt(const struct playing *p)
{
    if (!cf_has_probes()) {
        conclude(p, CF_NOT_RUN, KP_TEXT("this probetest has no servers for it (PROBES=0)"));
        return;
    }
    fire(p, 1);
    if (p->out->verdict == CF_FAIL)
        fire(p, 4);
}

void cf_run_case(const struct cf_run *run, const struct cf_case *item, struct kp_text version,
                 struct cf_arena *arena, struct cf_outcome *out)
{
    struct playing p = {.run = run, .item = item, .arena = arena, .out = out};

    conclude(&p, CF_FAIL, KP_TEXT("no memory"));
    if (profile_of(item, version, &p.profile) != KP_OK) {
        conclude(&p, CF_FAIL, KP_TEXT("this version has not the case's gates"));
        return;
    }
    if (!begin(&p, version) || !is_claimed(&p))
        return;
    if (item->kind == CF_QUESTION)
        run_question(&p);
    else if (item->kind == CF_ATTEMPT)
        run_attempt(&p);
    else if (cf_subject_about(run->subject)->real_clock)
        run_in_real_time(&p, cf_subject_about(run->subject)->speed);
    else
        run_scenario(&p, 0);
}
