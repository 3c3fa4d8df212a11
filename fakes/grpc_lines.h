/*
 * grpc_lines.h: a reply to a gRPC call written as lines: `HTTP/2 200`, `name: value`, an empty one,
 * or `...` where it is no trailers though it is the second; trailers have no first line.
 */
#pragma once

#include "core/handlers/grpc_reply.h"

#include <string.h>

/* One line, with its end or without.  false: there is nothing more to wait for. */
static inline bool grpc_take_line(struct kp_grpc_reply *reply, struct kp_text line)
{
    const char *colon;
    size_t name_len;

    while (line.len > 0 && strchr("\r\n", line.bytes[line.len - 1]))
        line.len--;
    if (reply->ended_head && !reply->goes_on)
        kp_grpc_reply_head(reply);
    if (line.len == 0 || kp_text_equal(line, KP_TEXT("...")))
        return kp_grpc_reply_head_ended(reply, line.len == 0 && reply->ended_head);
    if (kp_text_begins(line, "HTTP/2 ")) {
        kp_grpc_reply_head(reply);
        kp_grpc_reply_field(reply, KP_TEXT(":status"),
                            kp_text_trim(kp_text_from(line, strlen("HTTP/2 ")), " "));
        return true;
    }
    colon = memchr(line.bytes, ':', line.len);
    name_len = colon ? (size_t)(colon - line.bytes) : line.len;
    if (!colon)
        return true;
    line = (struct kp_text){colon + 1, line.len - name_len - 1};
    if (line.len > 0 && line.bytes[0] == ' ')
        line = (struct kp_text){line.bytes + 1, line.len - 1};
    kp_grpc_reply_field(reply, (struct kp_text){colon - name_len, name_len}, line);
    return true;
}
