/*
 * h2-frames.c: bytes as what a gRPC server sends, held against a second reading of another shape:
 * of all of it at once, frame by frame.
 *
 * The first byte: how many bytes come at a time; 0: all at once.
 */
#include "core/handlers/h2_frames.h"
#include "fuzz/fuzz.h"

#include <string.h>

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, GOAWAY = 7, CONTINUATION = 9 };

struct reading {
    const unsigned char *at;
    size_t left;
    struct kp_h2_frames said;
    size_t passed; /* bytes that libcurl is to read */
    char *pass;
};

static uint32_t number(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void pass(struct reading *r, size_t len)
{
    memcpy(r->pass + r->passed, r->at, len);
    r->passed += len;
}

/* A frame that is there to its end. */
static void read_whole(struct reading *r, size_t payload)
{
    unsigned type = r->at[3];
    unsigned flags = r->at[4];
    bool ours = (number(r->at + 5) & INT32_MAX) == 1;

    r->said.speaks = true;
    if (ours && type == RST_STREAM && payload >= 4)
        r->said.is_closed = true;
    if (ours && (type == DATA || type == HEADERS) && flags & 1) {
        r->said.ends = true;
        r->said.ended_by_head = type == HEADERS;
    }
    if (r->said.ends && !((type == HEADERS || type == CONTINUATION) && !(flags & 4)))
        r->said.is_closed = true;
}

/* What the beginning of a frame says, before the rest of it is there. */
static void read_head(struct reading *r, size_t payload)
{
    bool ours = (number(r->at + 5) & INT32_MAX) == 1;

    if (r->at[3] == GOAWAY && payload >= 8 && (number(r->at + 9) & INT32_MAX) == 0)
        r->said.refused = true;
    if (r->at[3] == RST_STREAM && payload >= 4 && ours) {
        r->said.was_reset = true;
        r->said.reset = number(r->at + 9);
        r->said.refused = r->said.refused || r->said.reset == 7;
    }
}

/* false: nothing more is read. */
static bool read_frame(struct reading *r)
{
    size_t payload;
    size_t looked;
    bool ours;
    bool keeps;

    if (r->left < KP_H2_HEAD_BYTES || r->said.is_closed)
        return false;
    payload = (size_t)r->at[0] << 16 | (size_t)r->at[1] << 8 | r->at[2];
    ours = (number(r->at + 5) & INT32_MAX) == 1;
    keeps =
        (r->at[3] == GOAWAY && payload >= 8) || (r->at[3] == RST_STREAM && payload >= 4 && ours);
    looked = KP_H2_HEAD_BYTES;
    if (r->at[3] == GOAWAY && payload >= 8)
        looked += 8;
    else if (r->at[3] == RST_STREAM && payload >= 4)
        looked += 4;
    if (r->left < looked)
        return false;
    r->said.is_other = !r->said.speaks && r->at[3] != SETTINGS;
    if (r->said.is_other)
        return false;
    read_head(r, payload);
    if (r->left < KP_H2_HEAD_BYTES + payload) {
        if (!keeps)
            pass(r, r->left);
        if (r->at[3] <= HEADERS && ours && r->at[4] & 1) {
            r->said.ends = true;
            r->said.ended_by_head = r->at[3] == HEADERS;
        }
        return false;
    }
    if (!keeps)
        pass(r, KP_H2_HEAD_BYTES + payload);
    read_whole(r, payload);
    r->at += KP_H2_HEAD_BYTES + payload;
    r->left -= KP_H2_HEAD_BYTES + payload;
    return true;
}

static void check(const struct kp_h2_frames *frames, const struct reading *r)
{
    PROMISE(frames->speaks == r->said.speaks && frames->is_other == r->said.is_other);
    PROMISE(frames->is_closed == r->said.is_closed && frames->ends == r->said.ends);
    PROMISE(frames->was_reset == r->said.was_reset && frames->reset == r->said.reset);
    PROMISE(frames->refused == r->said.refused && frames->ended_by_head == r->said.ended_by_head);
}

/* Bytes as they come; what is passed of them stands at passed. */
static size_t take(struct kp_h2_frames *frames, struct kp_text bytes, char *passed)
{
    size_t len = 0;

    while (bytes.len > 0) {
        size_t before = bytes.len;
        struct kp_text some;

        kp_h2_frames_take(frames, &bytes, &some);
        PROMISE(bytes.len < before);
        memcpy(passed + len, some.bytes, some.len);
        len += some.len;
    }
    return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t step = size > 0 && data[0] > 0 ? data[0] : size;
    struct kp_h2_frames frames = {0};
    struct reading reading = {.at = data + 1, .left = size > 0 ? size - 1 : 0};
    char *passed;
    size_t len = 0;

    if (size == 0)
        return 0;
    passed = malloc(size);
    reading.pass = malloc(size);
    PROMISE(passed && reading.pass);
    for (size_t at = 1; at < size; at += step) {
        size_t some = step < size - at ? step : size - at;

        len += take(&frames, (struct kp_text){(const char *)data + at, some}, passed + len);
    }
    while (read_frame(&reading))
        ;
    check(&frames, &reading);
    PROMISE(len == reading.passed && memcmp(passed, reading.pass, len) == 0);
    free(reading.pass);
    free(passed);
    return 0;
}
