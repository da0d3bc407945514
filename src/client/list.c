/* SPDX-License-Identifier: ISC */
/* Lists: page after page by cursor, until --limit or the end. Each page is a request that may be
 * repeated, so a broken connection costs one page. */
#include "config.h"

#include "client/api.h"
#include "client/dataset.h"
#include "client/value.h"

enum { LIMIT_USUAL = 100 };

static struct str
page_path(struct client *c, const struct listing *l, int64_t n, struct str cursor)
{
	struct buf b = { .a = c->page };

	buf_str(&b, l->path);
	url_parameter(&b, "limit", arena_printf(c->page, "%lld", (long long)n));
	url_parameter(&b, "cursor", cursor);
	return buf_done(&b);
}

/* "100 of 1274 hosts; --all prints every one", on a terminal. */
static void
summarise(const struct client *c, size_t printed, int64_t total, bool more)
{
	if (c->form != FORM_TABLE)
		return;
	if (printed == 0)
		note(c, "nothing matches");
	else if (total >= 0)
		note(c, "%zu of %lld%s", printed, (long long)total,
		    more ? "; --all prints every one" : "");
	else if (more)
		note(c, "there are more; --all prints every one");
}

int
list_print(struct client *c, const struct listing *l)
{
	int64_t left = option_given(c, "all") ? INT64_MAX : option_number(c, "limit", LIMIT_USUAL),
		total = -1;
	struct buf cursor = { .p = NULL };
	struct json_value *answer;
	struct table t;
	bool more = true;
	int status = DONE;

	if (!table_begin(&t, c, l->columns))
		return WRONG_USAGE;
	while (more && left > 0) {
		arena_reset(c->page);
		status = api_get(c,
		    page_path(c, l, left < l->page_max ? left : l->page_max,
			cursor.n > 0 ? buf_done(&cursor) : STR_NULL),
		    &answer);
		if (status != DONE)
			break;
		if (cursor.n == 0)
			api_warnings(c, answer);
		table_add(
		    &t, value_get(answer, l->member), left < INT64_MAX ? (size_t)left : SIZE_MAX);
		left -= left == INT64_MAX ? 0 : (int64_t)json_length(value_get(answer, l->member));
		(void)(value_int(value_get(answer, "total"), "value", &total));
		buf_clear(&cursor);
		buf_str(&cursor, value_text(answer, "next_cursor"));
		more = cursor.n > 0;
		if (ferror(stdout))
			break;
	}
	buf_free(&cursor);
	if (status == DONE)
		summarise(c, t.printed, total, more);
	return status;
}
