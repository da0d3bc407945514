/* SPDX-License-Identifier: ISC */
/* The order of typed values. */
#include "config.h"

#include "search/value.h"

int
value_cmp(const struct value *a, const struct value *b)
{
	switch (a->type) {
	case VALUE_KEYWORD:
	case VALUE_TEXT:
	case VALUE_DNS:
		return str_cmp(a->s, b->s);
	case VALUE_IP:
		return ip_cmp(a->ip.a, b->ip.a);
	case VALUE_INTEGER:
		return (a->i > b->i) - (a->i < b->i);
	case VALUE_NUMBER:
		return (a->n > b->n) - (a->n < b->n);
	case VALUE_BOOLEAN:
		return (int)a->b - (int)b->b;
	case VALUE_DATE:
		return ts_cmp(a->ts, b->ts);
	}
	panic("value_type %d", (int)a->type); /* UNCOVERED: the switch is complete */
}
