#include "fuzz/shared/mutate.h"

#include <stdbool.h>
#include <string.h>

static const char *const fields[] = {
    "livenessProbe: {exec: {command: [a]}}",
    "readinessProbe: {httpGet: {path: /, port: http}}",
    "startupProbe: {tcpSocket: {port: 80}}",
    "livenessProbe: {grpc: {port: 9000, service: a}}",
    "periodSeconds: 5",
    "timeoutSeconds: 0",
    "initialDelaySeconds: -1",
    "failureThreshold: 2147483648",
    "successThreshold: 2",
    "terminationGracePeriodSeconds: 5",
    "restartPolicy: Always",
    "restartPolicy: Never",
    "ports: [{name: http, containerPort: 80}]",
    "hostNetwork: true",
    "- {name: b, image: i}",
    "initContainers: [{name: i, image: i, restartPolicy: Always}]",
    "lifecycle: {preStop: {sleep: {seconds: 1}}}",
    "env: [{name: A, value: b}]",
    "restartPolicyRules: [{action: Restart, exitCodes: {operator: In, values: [1]}}]",
    "readinessGates: [{conditionType: a/b}]",
    "deletionTimestamp: 2024-01-01T00:00:00Z",
    "status: {phase: Running}",
    "metadata: {name: a, uid: b}",
};
/* Numbers as Go and YAML spell them, and what YAML takes for something else. */
static const char *const values[] = {
    "0x50",
    "0o17",
    "0b1",
    "1_000",
    "1e3",
    "1.5",
    "-0",
    "+80",
    "080",
    ".inf",
    "~",
    "null",
    "yes",
    "on",
    "Off",
    "2147483647",
    "-2147483648",
    "9223372036854775808",
    "\"80\"",
    "'a'",
    "!!str 1",
    "&a 1",
    "*a",
    "[]",
    "{}",
    "2024-01-01",
    "12:30:45",
    "\"\\u0000\"",
    "\"\\ud800\"",
    "|\n  a\n",
    "",
    "http",
    "65536",
    "a-very-long-port-name",
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* A line: from its first byte to behind its newline. */
struct line {
    size_t start;
    size_t end;
};

static struct line line_at(const uint8_t *data, size_t size, size_t at)
{
    struct line line = {at, at};

    while (line.start > 0 && data[line.start - 1] != '\n')
        line.start--;
    while (line.end < size && data[line.end] != '\n')
        line.end++;
    line.end += line.end < size;
    return line;
}

/* data[start..end) becomes `with`; 0: there is no room. */
static size_t replace(uint8_t *data, size_t size, size_t max_size, size_t start, size_t end,
                      const uint8_t *with, size_t len)
{
    if (size - (end - start) + len > max_size)
        return 0;
    memmove(data + start + len, data + end, size - end);
    if (len > 0)
        memcpy(data + start, with, len);
    return size - (end - start) + len;
}

static size_t repeat(uint8_t *data, size_t size, size_t max_size, struct line from, size_t to)
{
    uint8_t copy[512];
    size_t len = from.end - from.start;

    if (len > sizeof copy)
        return 0;
    memcpy(copy, data + from.start, len);
    return replace(data, size, max_size, to, to, copy, len);
}

/* A field behind a line, as deep as that line is. */
static size_t add_field(uint8_t *data, size_t size, size_t max_size, struct line line,
                        unsigned which)
{
    const char *field = fields[which % COUNT(fields)];
    uint8_t text[512];
    size_t depth = 0;
    size_t len = strlen(field);

    while (line.start + depth < line.end && depth < 200 &&
           (data[line.start + depth] == ' ' || data[line.start + depth] == '-'))
        depth++;
    memset(text, ' ', depth);
    memcpy(text + depth, field, len);
    text[depth + len] = '\n';
    return replace(data, size, max_size, line.end, line.end, text, depth + len + 1);
}

/* Another value behind the line's colon. */
static size_t change_value(uint8_t *data, size_t size, size_t max_size, struct line line,
                           unsigned which)
{
    const char *value = values[which % COUNT(values)];
    size_t colon = line.start;
    size_t end = line.end;

    while (colon + 1 < line.end &&
           !(data[colon] == ':' && (data[colon + 1] == ' ' || data[colon + 1] == '"')))
        colon++;
    if (colon + 1 >= line.end)
        return 0;
    if (end > colon + 2 && data[end - 1] == '\n')
        end--;
    return replace(data, size, max_size, colon + 2 > end ? end : colon + 2, end,
                   (const uint8_t *)value, strlen(value));
}

size_t mutate_lines(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size_t changed = 0;
    size_t at = size > 0 ? seed / 8 % size : 0;
    size_t to = size > 0 ? seed / 64 % size : 0;
    struct line line = line_at(data, size, at);

    if (size > 0 && seed % 8 == 0)
        changed = repeat(data, size, max_size, line, line_at(data, size, to).end);
    else if (size > 0 && seed % 8 == 1)
        changed = replace(data, size, max_size, line.start, line.end, NULL, 0);
    else if (size > 0 && seed % 8 == 2)
        changed = add_field(data, size, max_size, line, seed / 512);
    else if (size > 0 && seed % 8 == 3)
        changed = change_value(data, size, max_size, line, seed / 512);
    if (changed > 0)
        return changed;
    return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, max_size) : size;
}
