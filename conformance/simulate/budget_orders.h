/*
 * budget_orders.h: what comes earliest and latest of one container, over all that is left to
 * chance.
 *
 * All that a node does in rounds comes in whole seconds: relists, the wall clock's seconds,
 * workers' ticks.  So what is seen depends on the seconds in which ticks fall, and on the order of
 * all their parts of a second; and it comes with one of these parts.  In one order they may all be
 * just behind the container's start, or all just before the next second: one play of it shows both
 * its ends.
 */
#pragma once

#include "conformance/simulate/budget_search.h"

/*
 * Find both ends of what is sought: from the best that is known on with all ticks of one worker,
 * then of the other one, then in all orders, as long as an end moves.
 *
 * sought:   from where the container runs, or answers, which is at that age or up to a period
 *           sooner: no new kubelet.
 * Returns:  whole seconds, between which it comes, and draws with which it comes within 5 ms of
 *           them; low.ns is KP_NEVER where it is never seen.
 */
struct cf_extremes cf_search_orders(struct cf_search *search, const struct cf_sought *sought);
