/* case_times.c: instants as lines of a case have them. */
#include "conformance/table/case_read.h"

#include <string.h>

/* The times of a line, being read from its first word. */
struct times {
    struct kp_text rest;
    struct kp_text part; /* up to the next comma */
};

static bool next_part(struct times *times)
{
    const char *comma;
    size_t len;

    if (times->rest.len == 0)
        return false;
    comma = memchr(times->rest.bytes, ',', times->rest.len);
    len = comma ? (size_t)(comma - times->rest.bytes) : times->rest.len;
    times->part = (struct kp_text){times->rest.bytes, len};
    len += comma != NULL;
    times->rest = kp_text_from(times->rest, len);
    return true;
}

bool cf_parse_span(struct kp_text part, int64_t *at_ns, int64_t *until_ns)
{
    for (size_t i = 1; i + 2 < part.len; i++)
        if (part.bytes[i] == '.' && part.bytes[i + 1] == '.')
            return cf_parse_duration((struct kp_text){part.bytes, i}, at_ns) &&
                   cf_parse_duration((struct kp_text){part.bytes + i + 2, part.len - i - 2},
                                     until_ns) &&
                   *until_ns > *at_ns;
    if (!cf_parse_duration(part, at_ns))
        return false;
    *until_ns = *at_ns;
    return true;
}

bool cf_parse_times(struct kp_text word, void (*each)(void *ctx, int64_t at_ns, int64_t until_ns),
                    void *ctx)
{
    struct times times = {word, KP_TEXT_NONE};
    int64_t before_ns = -1;
    int64_t last_ns = -1;
    bool going_on = false;

    while (next_part(&times)) {
        int64_t at_ns;
        int64_t until_ns;

        if (kp_text_equal(times.part, KP_TEXT("...")) && before_ns >= 0 && !going_on) {
            going_on = true;
            continue;
        }
        if (!cf_parse_span(times.part, &at_ns, &until_ns) || at_ns < 0 || at_ns <= last_ns)
            return false;
        if (going_on) {
            int64_t step_ns = last_ns - before_ns;

            if ((at_ns - last_ns) % step_ns != 0)
                return false;
            for (int64_t t = last_ns + step_ns; t < at_ns; t += step_ns)
                each(ctx, t, t);
            going_on = false;
        }
        each(ctx, at_ns, until_ns);
        before_ns = last_ns;
        last_ns = at_ns;
    }
    return !going_on && last_ns >= 0;
}
