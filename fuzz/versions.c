/*
 * versions.c: the same world on two versions differs only by what the version table names: with the
 * switches and gates of the one, the other number does the same, to the last effect.
 */
#include "fuzz/fuzz.h"
#include "fuzz/shared/scenario.h"

#include <string.h>

/* Effects as a running hash: kind, rule, whose, and the numbers in it. */
struct digest {
    uint64_t hash;
};

static void mix(struct digest *digest, uint64_t number)
{
    digest->hash = (digest->hash ^ number) * UINT64_C(1099511628211) + (digest->hash >> 29);
}

static void mix_text(struct digest *digest, struct kp_text text)
{
    for (size_t i = 0; i < text.len; i++)
        mix(digest, (unsigned char)text.bytes[i]);
    mix(digest, text.len);
}

static void mix_part(struct digest *digest, const struct kp_part *part)
{
    char bytes[1024];
    struct kp_buf buf = {.bytes = bytes, .cap = sizeof bytes};

    mix(digest, (uint64_t)part->kind);
    switch (part->kind) {
    case KP_PART_TEXT:
    case KP_PART_QUOTED:
        mix_text(digest, part->text);
        break;
    case KP_PART_INT:
    case KP_PART_DURATION:
        mix(digest, (uint64_t)part->number);
        break;
    case KP_PART_WRITTEN:
        part->write(&buf, part->of);
        mix_text(digest, kp_buf_text(&buf));
        break;
    }
}

static void mix_message(struct digest *digest, const struct kp_message *message)
{
    for (size_t i = 0; i < message->count; i++)
        mix_part(digest, &message->parts[i]);
}

static void mix_rest(struct digest *digest, const struct kp_effect *effect)
{
    if (effect->kind == KP_EFFECT_PROBE)
        mix(digest, effect->u.probe.n * 4 + (unsigned)effect->u.probe.attempt);
    else if (effect->kind == KP_EFFECT_RESULT)
        mix(digest, (uint64_t)effect->u.result.type * 4 + (uint64_t)(effect->u.result.value + 1));
    else if (effect->kind == KP_EFFECT_READY || effect->kind == KP_EFFECT_STARTED)
        mix(digest, effect->u.value);
    else if (effect->kind == KP_EFFECT_KILL) {
        mix(digest, (uint64_t)effect->u.kill.grace_s);
        mix_message(digest, &effect->u.kill.message);
    } else if (effect->kind == KP_EFFECT_EVENT) {
        mix_text(digest, effect->u.event.reason);
        mix_message(digest, &effect->u.event.message);
    } else if (effect->kind == KP_EFFECT_BACKOFF)
        mix(digest, (uint64_t)effect->u.delay_ns);
    else if (effect->kind == KP_EFFECT_PHASE)
        mix(digest, (uint64_t)effect->u.phase);
    else if (effect->kind == KP_EFFECT_CONDITION) {
        mix_text(digest, effect->u.condition->type);
        mix(digest, (uint64_t)effect->u.condition->status);
        mix_text(digest, effect->u.condition->message);
    }
}

static void observe(void *ctx, const struct kp_effect *effect)
{
    struct digest *digest = ctx;

    mix(digest, (uint64_t)effect->kind);
    mix(digest, (uint64_t)effect->rule);
    mix(digest, (uint64_t)(effect->container + 1));
    mix_text(digest, effect->cid);
    mix_rest(digest, effect);
}

static void end_instant(void *ctx, int64_t at_ns)
{
    mix(ctx, (uint64_t)at_ns);
}

static uint64_t play(struct scenario *scenario, const struct kp_profile *profile)
{
    struct digest digest = {UINT64_C(14695981039346656037)};

    enum fake_end end = scenario_play(scenario, profile,
                                      (struct fake_observer){observe, end_instant, NULL, &digest});

    /* Which loops are a kubelet's is the matter of world. */
    PROMISE(end == FAKE_END_DONE || end == FAKE_END_LIVELOCK);
    mix(&digest, (uint64_t)end);
    return digest.hash;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scenario scenario;
    struct fuzz_bytes bytes = {data, size};
    struct kp_profile other;
    uint64_t hash;

    scenario_read(&scenario, &bytes);
    hash = play(&scenario, NULL);
    PROMISE(play(&scenario, NULL) == hash); /* and a run is a function of its input */
    other = scenario.profile;
    other.minor =
        scenario.profile.minor == KP_MINOR_MAX ? KP_MINOR_MIN : scenario.profile.minor + 1;
    other.patch = kp_profile_last_patch(other.minor);
    PROMISE(play(&scenario, &other) == hash);
    return 0;
}
