#include "h2_frames.h"

#include <string.h>

enum type { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, GOAWAY = 7, CONTINUATION = 9 };

#define END_STREAM 1
#define END_HEADERS 4
#define REFUSED_STREAM 7

/* ---- the head of a frame --------------------------------------------------------------------- */

static uint32_t number(const unsigned char *bytes, size_t len)
{
    uint32_t value = 0;

    for (size_t i = 0; i < len; i++)
        value = value << 8 | bytes[i];
    return value;
}

static size_t length_of(const struct kp_h2_frames *frames)
{
    return number(frames->head, 3);
}

static unsigned char type_of(const struct kp_h2_frames *frames)
{
    return frames->head[3];
}

static bool has_flag(const struct kp_h2_frames *frames, int flag)
{
    return frames->head[4] & flag;
}

static uint32_t stream_of(const struct kp_h2_frames *frames)
{
    return number(frames->head + 5, 4) & INT32_MAX;
}

/* How much of a frame is looked at: one that is too short for what it is has nothing to say.  While
 * its own head is not whole this is at least that head. */
static size_t head_size(const struct kp_h2_frames *frames)
{
    size_t more = 0;

    if (type_of(frames) == GOAWAY)
        more = 8;
    else if (type_of(frames) == RST_STREAM)
        more = 4;
    return KP_H2_HEAD_BYTES + (length_of(frames) < more ? 0 : more);
}

/* ---- what it says ---------------------------------------------------------------------------- */

static void look_at_goaway(struct kp_h2_frames *frames)
{
    frames->is_kept = true;
    frames->refused |= (number(frames->head + KP_H2_HEAD_BYTES, 4) & INT32_MAX) == 0;
}

static void look_at_reset(struct kp_h2_frames *frames)
{
    frames->was_reset = true;
    frames->is_kept = true;
    frames->reset = number(frames->head + KP_H2_HEAD_BYTES, 4);
    frames->refused |= frames->reset == REFUSED_STREAM;
}

static void look_at_end(struct kp_h2_frames *frames)
{
    if (!has_flag(frames, END_STREAM))
        return;
    frames->ends = true;
    frames->ended_by_head = type_of(frames) == HEADERS;
}

/* All of it that is looked at is there. */
static void look(struct kp_h2_frames *frames)
{
    bool is_ours = stream_of(frames) == 1;

    frames->left = length_of(frames) - (frames->head_len - KP_H2_HEAD_BYTES);
    frames->is_kept = false;
    frames->is_other = !frames->speaks && type_of(frames) != SETTINGS;
    if (frames->is_other)
        return;
    if (type_of(frames) == GOAWAY && frames->head_len > KP_H2_HEAD_BYTES)
        look_at_goaway(frames);
    else if (type_of(frames) == RST_STREAM && is_ours && frames->head_len > KP_H2_HEAD_BYTES)
        look_at_reset(frames);
    else if (is_ours && (type_of(frames) == DATA || type_of(frames) == HEADERS))
        look_at_end(frames);
}

/* It is there to its end. */
static void end_frame(struct kp_h2_frames *frames)
{
    bool goes_on = (type_of(frames) == HEADERS || type_of(frames) == CONTINUATION) &&
                   !has_flag(frames, END_HEADERS);

    frames->head_len = 0;
    frames->speaks = true;
    frames->is_closed |= frames->was_reset || (frames->ends && !goes_on);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

static struct kp_text cut(struct kp_text *bytes, size_t len)
{
    struct kp_text first = {bytes->bytes, len < bytes->len ? len : bytes->len};

    *bytes = (struct kp_text){bytes->bytes + first.len, bytes->len - first.len};
    return first;
}

static void take_head(struct kp_h2_frames *frames, struct kp_text *bytes, struct kp_text *pass)
{
    while (bytes->len > 0 && frames->head_len < head_size(frames))
        frames->head[frames->head_len++] = (unsigned char)cut(bytes, 1).bytes[0];
    if (frames->head_len < head_size(frames))
        return;
    look(frames);
    if (!frames->is_other && !frames->is_kept)
        *pass = (struct kp_text){(const char *)frames->head, frames->head_len};
}

void kp_h2_frames_take(struct kp_h2_frames *frames, struct kp_text *bytes, struct kp_text *pass)
{
    bool in_payload = frames->head_len > 0 && frames->head_len == head_size(frames);

    *pass = KP_TEXT("");
    if (frames->is_other || frames->is_closed) {
        cut(bytes, bytes->len);
        return;
    }
    if (!in_payload) {
        take_head(frames, bytes, pass);
        in_payload = frames->head_len == head_size(frames);
    } else {
        struct kp_text some = cut(bytes, frames->left);

        frames->left -= some.len;
        if (!frames->is_kept)
            *pass = some;
    }
    if (in_payload && frames->left == 0 && !frames->is_other)
        end_frame(frames);
}
