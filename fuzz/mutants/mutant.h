/* mutant.h: what a copy of the core with sleeping mutants in it needs: which is awake, and which
 * could have made a difference so far. */
#pragma once

#define KP_MUTANTS_MAX 16384

extern int kp_mutant; /* 0: all sleep */
/* What has become of each place since the last clearing. */
extern unsigned char kp_mutant_reached[KP_MUTANTS_MAX];

enum {
    KP_REACHED = 1,  /* it was run */
    KP_DIFFERED = 2, /* and awake the mutant would have come to something else, or might have */
    KP_BORDER = 4    /* at this version, whatever the case asks */
};

/* A hash of the places in the order in which they were run. */
extern unsigned long kp_mutant_path;

#define KP_NOTE(number, differs)                                                                   \
    (void)(kp_mutant_path = (kp_mutant_path ^ (number)) * 1099511628211ul,                         \
           kp_mutant_reached[number] |= (differs) ? KP_REACHED | KP_DIFFERED : KP_REACHED)

/* A border of a version table that goes from one version to another: of no path, since the version
 * alone decides.  Only in profile.c: `now` is what is played, a version of each kind. */
#define KP_MOVED(number, from, to, other)                                                          \
    (kp_mutant_reached[number] |=                                                                  \
     reached(now, from) != reached(now, to) ? KP_REACHED | KP_DIFFERED | KP_BORDER : KP_REACHED,   \
     kp_mutant == (number) ? (to) : (other))

/* A change that differs whenever it is met. */
#define KP_ACTIVE(number) (KP_NOTE(number, 1), kp_mutant == (number))

/* A number or a pointer, or another one in its place. */
#define KP_VALUE(number, value, other)                                                             \
    __extension__({                                                                                \
        __auto_type value_##number = (value) + 0;                                                  \
        __auto_type other_##number = (other) + 0;                                                  \
        KP_NOTE(number, value_##number != other_##number);                                         \
        kp_mutant == (number) ? other_##number : value_##number;                                   \
    })

/* `left op right`, or `left to right`: both sides are worked out once. */
#define KP_OPERATOR(number, left, op, to, right)                                                   \
    __extension__({                                                                                \
        __auto_type left_##number = (left) + 0;                                                    \
        __auto_type right_##number = (right) + 0;                                                  \
        KP_NOTE(number, (left_##number op right_##number) != (left_##number to right_##number));   \
        kp_mutant == (number) ? (left_##number to right_##number)                                  \
                              : (left_##number op right_##number);                                 \
    })

/* `left && right`, or `left || again`, which is the right side as it was written.  Where the right
 * side may not be asked it might differ. */
#define KP_AND(number, left, right, again)                                                         \
    ((left) ? (right) ? (KP_NOTE(number, 0), 1) : KP_ACTIVE(number) : KP_ACTIVE(number) && (again))
#define KP_OR(number, left, right, again)                                                          \
    ((left)    ? !KP_ACTIVE(number) || (again)                                                     \
     : (right) ? !KP_ACTIVE(number)                                                                \
               : (KP_NOTE(number, 0), 0))

/* A condition that never holds. */
#define KP_NEVER_IF(number, condition)                                                             \
    (kp_mutant == (number) ? 0 : ((condition) ? (KP_NOTE(number, 1), 1) : (KP_NOTE(number, 0), 0)))
