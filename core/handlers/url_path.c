#include "url_path.h"

#include <string.h>

/* Index of the last slash, or -1. */
static int64_t last_slash(struct kp_text text)
{
    for (size_t i = text.len; i > 0; i--)
        if (text.bytes[i - 1] == '/')
            return (int64_t)i - 1;
    return -1;
}

/* The base up to its last slash, then the reference. */
static struct kp_text merge_paths(struct kp_scratch *scratch, struct kp_text base,
                                  struct kp_text ref)
{
    struct kp_buf buf;

    if (ref.len == 0)
        return base;
    if (ref.bytes[0] == '/')
        return ref;
    base.len = (size_t)(last_slash(base) + 1);
    buf = kp_scratch_buf(scratch, base.len + ref.len);
    kp_buf_put(&buf, base);
    kp_buf_put(&buf, ref);
    return kp_buf_text(&buf);
}

/* One `..`: the last segment goes.  Does what follows need no slash before it? */
static bool drop_segment(const struct kp_profile *profile, struct kp_buf *path)
{
    int64_t slash = last_slash(kp_buf_text(path));

    path->need = slash > 0 ? (size_t)slash : 1;
    return profile->dots_leave_one_slash ? path->need == 1 : slash == 0;
}

static bool is_dots(struct kp_text segment)
{
    return kp_text_equal(segment, KP_TEXT(".")) || kp_text_equal(segment, KP_TEXT(".."));
}

/* What begins with one slash or two with one. */
static struct kp_text with_one_slash(struct kp_text path)
{
    return path.len > 1 && path.bytes[1] == '/' ? kp_text_from(path, 1) : path;
}

/* Of what Go before 1.16 joins: with each but the first a slash goes before it. */
static void join(struct kp_buf *path, size_t *count, struct kp_text segment)
{
    if ((*count)++ > 0)
        kp_buf_put_char(path, '/');
    kp_buf_put(path, segment);
}

/* As Go did it up to 1.15: the segments that are left are joined, and one slash at their beginning
 * goes. */
static struct kp_text join_segments(struct kp_scratch *scratch, struct kp_text full)
{
    struct kp_buf path = kp_scratch_buf(scratch, full.len + 3);
    struct kp_text segment = KP_TEXT("");
    size_t count = 0;
    bool more = true;

    kp_buf_put_char(&path, '/');
    while (more) {
        more = kp_text_cut(full, '/', &segment, &full);
        if (!is_dots(segment))
            join(&path, &count, segment);
        else if (segment.len == 2 && count > 0)
            path.need = --count > 0 ? (size_t)last_slash(kp_buf_text(&path)) : 1;
    }
    if (is_dots(segment))
        join(&path, &count, KP_TEXT(""));
    return with_one_slash(kp_buf_text(&path));
}

/* RFC 3986 5.2.4 as Go does it: the result begins with one slash. */
static struct kp_text remove_dots(struct kp_scratch *scratch, const struct kp_profile *profile,
                                  struct kp_text full)
{
    struct kp_buf path = kp_scratch_buf(scratch, full.len + 2);
    struct kp_text segment = KP_TEXT("");
    bool more = true;
    bool first = true;

    if (full.len == 0)
        return full;
    if (!profile->with_go_116)
        return join_segments(scratch, full);
    kp_buf_put_char(&path, '/');
    while (more) {
        more = kp_text_cut(full, '/', &segment, &full);
        if (kp_text_equal(segment, KP_TEXT("."))) {
            first = false;
        } else if (kp_text_equal(segment, KP_TEXT(".."))) {
            first = drop_segment(profile, &path);
        } else {
            if (!first)
                kp_buf_put_char(&path, '/');
            kp_buf_put(&path, segment);
            first = false;
        }
    }
    if (is_dots(segment))
        kp_buf_put_char(&path, '/');
    return with_one_slash(kp_buf_text(&path));
}

struct kp_text kp_url_path_resolve(struct kp_scratch *scratch, const struct kp_profile *profile,
                                   struct kp_text base, struct kp_text ref)
{
    return remove_dots(scratch, profile, merge_paths(scratch, base, ref));
}
