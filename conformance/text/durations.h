/* durations.h: spans of time as cases and options say them. */
#pragma once

#include "core/base/text.h"

/* What a duration may come to: 1111h6m40s.  A thousand of them still are an instant. */
#define CF_DURATION_MAX_NS INT64_C(4000000000000000)

/*
 * "10s", "1.5s", "500ms", "1m30s", "-2h".  A unit is needed; whole milliseconds.
 *
 * Returns:  false: it is no duration, or longer than CF_DURATION_MAX_NS.
 */
bool cf_parse_duration(struct kp_text text, int64_t *duration_ns);

/*
 * A grace period: a duration of whole seconds, or any number of seconds that the API takes, as
 * "9223372036854775807s".
 *
 * Returns:  false: it is neither.
 */
bool cf_parse_grace(struct kp_text text, int64_t *grace_s);
/* The same, the other way round: "1m20s", and what is longer than CF_DURATION_MAX_NS in seconds. */
void cf_put_grace(struct kp_buf *buf, int64_t grace_s);

/* Cut "12.345" off the text's head, times 10^places, at most 10^12; false: no number, or more
 * decimals. */
bool cf_take_decimal(struct kp_text *text, int places, int64_t *scaled);
