#include "grpc_timeout.h"

#include "core/base/duration.h"

#define MOST 99999999

static int64_t count_of(int64_t left_ns, int64_t unit_ns)
{
    return left_ns / unit_ns + (left_ns % unit_ns > 0);
}

void kp_grpc_put_timeout(struct kp_buf *buf, int64_t left_ns)
{
    static const struct {
        int64_t ns;
        char unit;
    } units[] = {{1, 'n'},
                 {1000, 'u'},
                 {KP_NS_PER_MS, 'm'},
                 {KP_NS_PER_S, 'S'},
                 {60 * KP_NS_PER_S, 'M'},
                 {3600 * KP_NS_PER_S, 'H'}}; /* enough for any int64 */
    size_t i = 0;

    while (count_of(left_ns, units[i].ns) > MOST)
        i++;
    kp_buf_put_int(buf, count_of(left_ns, units[i].ns));
    kp_buf_put_char(buf, units[i].unit);
}
