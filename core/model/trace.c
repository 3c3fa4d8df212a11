#include "trace.h"

#include "../base/quote.h"

#include <assert.h>

static struct kp_part *next_part(struct kp_message *message, enum kp_part_kind kind)
{
    struct kp_part *part = &message->parts[message->count++];

    assert(message->count <= KP_MESSAGE_PARTS);
    *part = (struct kp_part){.kind = kind};
    return part;
}

void kp_message_add(struct kp_message *message, struct kp_text text)
{
    next_part(message, KP_PART_TEXT)->text = text;
}

void kp_message_add_quoted(struct kp_message *message, struct kp_text text)
{
    next_part(message, KP_PART_QUOTED)->text = text;
}

void kp_message_add_int(struct kp_message *message, int64_t number)
{
    next_part(message, KP_PART_INT)->number = number;
}

void kp_message_add_duration(struct kp_message *message, int64_t duration_ns)
{
    next_part(message, KP_PART_DURATION)->number = duration_ns;
}

void kp_message_add_written(struct kp_message *message,
                            void (*write)(struct kp_buf *buf, const void *of), const void *of)
{
    struct kp_part *part = next_part(message, KP_PART_WRITTEN);

    part->write = write;
    part->of = of;
}

static void write_argv(struct kp_buf *buf, const void *of)
{
    const struct kp_text_list *argv = of;

    kp_buf_put_char(buf, '"');
    for (size_t i = 0; i < argv->count; i++) {
        if (i > 0)
            kp_buf_put_char(buf, ' ');
        kp_buf_put_escaped(buf, argv->items[i]);
    }
    kp_buf_put_char(buf, '"');
}

void kp_message_add_argv(struct kp_message *message, const struct kp_text_list *argv)
{
    kp_message_add_written(message, write_argv, argv);
}

void kp_message_put(struct kp_buf *buf, const struct kp_message *message)
{
    for (size_t i = 0; i < message->count; i++) {
        const struct kp_part *part = &message->parts[i];

        switch (part->kind) {
        case KP_PART_TEXT:
            kp_buf_put(buf, part->text);
            break;
        case KP_PART_QUOTED:
            kp_buf_put_quoted(buf, part->text);
            break;
        case KP_PART_INT:
            kp_buf_put_int(buf, part->number);
            break;
        case KP_PART_DURATION:
            kp_buf_put_duration(buf, part->number);
            break;
        case KP_PART_WRITTEN:
            part->write(buf, part->of);
            break;
        }
    }
}
