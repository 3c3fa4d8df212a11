#include "fakes/world_state.h"

#include <string.h>

void *fake_list_add(struct fake_world *world, struct fake_list *list, size_t size)
{
    if (list->count == list->room) {
        size_t room = list->room > 0 ? 2 * list->room : 8;
        void *items = kp_mem_array(world->mem, room, size);

        if (!items) {
            world->no_memory = true;
            return NULL;
        }
        if (list->count > 0)
            memcpy(items, list->items, list->count * size);
        kp_mem_free(world->mem, list->items);
        list->items = items;
        list->room = room;
    }
    memset((char *)list->items + list->count * size, 0, size);
    return (char *)list->items + list->count++ * size;
}
