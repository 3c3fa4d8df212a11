#include "scratch.h"

#include "core/base/pool.h"

#include <stdalign.h>
#include <string.h>

#define BLOCK_BYTES 4000
#define ERRNO_BYTES_MAX 128

struct kp_scratch_block {
    struct kp_scratch_block *next;
    alignas(max_align_t) char bytes[];
};

void kp_scratch_init(struct kp_scratch *scratch, const struct kp_mem *mem)
{
    *scratch = (struct kp_scratch){.mem = mem};
}

void kp_scratch_deinit(struct kp_scratch *scratch)
{
    while (scratch->blocks) {
        struct kp_scratch_block *next = scratch->blocks->next;

        kp_mem_free(scratch->mem, scratch->blocks);
        scratch->blocks = next;
    }
}

void kp_scratch_lend(struct kp_scratch *scratch, char *room, size_t bytes)
{
    scratch->room = room;
    scratch->left = bytes;
    kp_pool_poison(room, bytes);
}

static bool add_block(struct kp_scratch *scratch, size_t bytes)
{
    size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    struct kp_scratch_block *block =
        scratch->mem->alloc(scratch->mem->ctx, sizeof(struct kp_scratch_block) + size);

    if (!block)
        return false;
    block->next = scratch->blocks;
    scratch->blocks = block;
    kp_scratch_lend(scratch, block->bytes, size);
    return true;
}

void *kp_scratch_alloc(struct kp_scratch *scratch, size_t bytes)
{
    size_t rounded = (bytes + alignof(max_align_t)) & ~(alignof(max_align_t) - 1);
    void *piece;

    if (scratch->left < rounded && !add_block(scratch, rounded)) {
        scratch->failed = true;
        return NULL;
    }
    kp_pool_unpoison(scratch->room, bytes);
    piece = memset(scratch->room, 0, bytes);
    scratch->room += rounded;
    scratch->left -= rounded;
    return piece;
}

void *kp_scratch_grow(struct kp_scratch *scratch, void *bytes, size_t *cap, size_t need)
{
    size_t larger = kp_room_for(need);
    void *grown;

    if (need <= *cap)
        return bytes;
    grown = kp_scratch_alloc(scratch, larger);
    if (!grown)
        return NULL;
    if (*cap > 0)
        memcpy(grown, bytes, *cap);
    *cap = larger;
    return grown;
}

void kp_scratch_put(struct kp_scratch *scratch, struct kp_buf *buf, struct kp_text text)
{
    char *grown = kp_scratch_grow(scratch, buf->bytes, &buf->cap, buf->need + text.len);

    if (!grown)
        return;
    buf->bytes = grown;
    kp_buf_put(buf, text);
}

struct kp_buf kp_scratch_buf(struct kp_scratch *scratch, size_t bytes)
{
    char *piece = kp_scratch_alloc(scratch, bytes + 1);

    return (struct kp_buf){.bytes = piece, .cap = piece ? bytes : 0};
}

struct kp_text kp_scratch_copy(struct kp_scratch *scratch, struct kp_text text)
{
    struct kp_buf buf = kp_scratch_buf(scratch, text.len);

    kp_buf_put(&buf, text);
    return buf.bytes ? kp_buf_text(&buf) : KP_TEXT("");
}

struct kp_text kp_scratch_message(struct kp_scratch *scratch, const struct kp_message *message)
{
    struct kp_buf buf = {0};

    kp_message_put(&buf, message);
    buf = kp_scratch_buf(scratch, buf.need);
    kp_message_put(&buf, message);
    return buf.bytes ? kp_buf_text(&buf) : KP_TEXT("");
}

struct kp_text kp_scratch_errno(struct kp_scratch *scratch, int error)
{
    struct kp_buf buf = kp_scratch_buf(scratch, ERRNO_BYTES_MAX);

    if (!buf.bytes || strerror_r(error, buf.bytes, buf.cap) != 0)
        return KP_TEXT("errno not known");
    if (buf.bytes[0] >= 'A' && buf.bytes[0] <= 'Z')
        buf.bytes[0] = (char)(buf.bytes[0] + ('a' - 'A'));
    return kp_text_of(buf.bytes);
}
