/* SPDX-License-Identifier: ISC */
/* Counts each answer in the histogram of its operation and status. Requests without a route share
   the operation "none". */
#include "config.h"

#include "http/http_priv.h"
#include "http/stages_priv.h"

/* The position of a route among the rows of all tables; without a route, the number of rows. */
static int
row_number(const struct worker *w, const struct route *route)
{
	int n = 0;

	for (const struct route *const *t = w->tables; *t != NULL; t++)
		for (const struct route *r = *t; r->method != METHOD_UNSET; r++, n++)
			if (r == route)
				return n;
	return n;
}

void
http_metrics(struct worker *w)
{
	int n = 0, rows = row_number(w, NULL);

	w->metrics = metrics_open();
	if (rows >= METRICS_OPERATIONS)
		panic("more than %d operations", METRICS_OPERATIONS - 1);
	for (const struct route *const *t = w->tables; *t != NULL; t++)
		for (const struct route *r = *t; r->method != METHOD_UNSET; r++)
			w->operations[n++] = metrics_operation(w->metrics, r->operation);
	w->operations[n] = metrics_operation(w->metrics, "none");
}

void
metrics_count_answer(const struct req *rq)
{
	const struct worker *w = rq->worker;

	if (w->metrics == NULL || rq->handed_to != NULL)
		return;
	metrics_request(w->metrics, w->operations[row_number(w, rq->route)], rq->status,
	    mono_us() - rq->started);
}
