#include "fakes/world_state.h"

static bool fits(const struct fake_answers *answers, const struct fake_request *request,
                 const struct kp_pod *pod)
{
    return answers->pod == request->pod && answers->call == request->call &&
           (answers->container.len == 0 ||
            kp_text_equal(answers->container, pod->containers[request->container].name));
}

/* The newest script that fits. */
static struct fake_cursor *find(struct fake_world *world, const struct fake_request *request)
{
    struct fake_cursor *cursors = world->cursors.items;
    const struct kp_pod *pod = world->run->open.pods[request->pod];

    for (size_t i = world->cursors.count; i > 0; i--)
        if (fits(cursors[i - 1].answers, request, pod))
            return &cursors[i - 1];
    return NULL;
}

static bool speaks_of_age(const struct fake_answers *answers)
{
    for (size_t i = 0; i < answers->step_count; i++)
        if (answers->steps[i].until == FAKE_UNTIL_AGE)
            return true;
    return false;
}

static bool is_over(const struct fake_step *step, const struct fake_cursor *cursor,
                    const struct fake_instance *instance, int64_t now_ns)
{
    switch (step->until) {
    case FAKE_FOREVER:
        return false;
    case FAKE_TIMES:
        return cursor->used >= step->bound;
    case FAKE_UNTIL_AGE:
        return now_ns - instance->since_ns >= step->bound;
    case FAKE_UNTIL_TIME:
        return now_ns >= step->bound;
    case FAKE_UNTIL_REPLACED:
        return instance->number > step->bound || (step->until_ns > 0 && now_ns >= step->until_ns);
    }
    return false;
}

const struct fake_step *fake_answers_step(struct fake_world *world,
                                          const struct fake_request *request)
{
    const struct fake_instance *instances = world->instances.items;
    const struct fake_instance *instance = &instances[request->instance];
    struct fake_cursor *cursor = find(world, request);
    const struct fake_answers *answers;

    if (!cursor)
        return NULL;
    answers = cursor->answers;
    if (request->attempt > 1)
        return &answers->steps[cursor->step];
    if (speaks_of_age(answers) && !kp_text_equal(cursor->cid, instance->cid)) {
        cursor->step = 0;
        cursor->used = 0;
    }
    cursor->cid = instance->cid;
    while (cursor->step + 1 < answers->step_count &&
           is_over(&answers->steps[cursor->step], cursor, instance, world->now_ns)) {
        cursor->step++;
        cursor->used = 0;
    }
    cursor->used++;
    return &answers->steps[cursor->step];
}

void fake_answers_add(struct fake_world *world, const struct fake_answers *answers)
{
    struct fake_cursor *cursor = fake_list_add(world, &world->cursors, sizeof *cursor);

    if (cursor)
        cursor->answers = answers;
}
