/* SPDX-License-Identifier: ISC */
/* The API's answers: JSON, refusals and warnings, and the messages that people get.
 *
 *   surface: unknown field "contry"; did you mean "country"?
 *     port:22 contry:DE
 *             ^
 */
#include "config.h"

#include "base/char.h"
#include "client/api.h"
#include "client/value.h"

/* ---- the caret ---- */

enum { BEFORE_CARET = 50 }; /* columns of a long query that are printed in front of the character */

/* The byte where the character number n, from 1 on, begins. */
static size_t
byte_of(struct str text, int64_t n)
{
	const char *p = text.p, *end = text.p + text.n;

	while (--n > 0 && p < end)
		char_next(&p);
	return (size_t)(p - text.p);
}

/* A query that is wider than the terminal is printed from a character near the caret on. */
void
api_caret_add(struct buf *b, const struct client *c, int64_t position, enum style style)
{
	struct str query = c->query, before;
	size_t at, from = 0, width,
		   room = c->screen.columns_err == SIZE_MAX ? SIZE_MAX : c->screen.columns_err - 4;
	struct buf shown = { .p = NULL };

	if (query.n == 0 || position < 1 || str_utf8_bad(query) < query.n)
		return;
	at = byte_of(query, position);
	if (str_chars(query) > room && position > BEFORE_CARET)
		from = byte_of(query, position - BEFORE_CARET);
	before = (struct str){ query.p + from, at - from };
	text_show(&shown, &c->screen, before);
	width = text_width(buf_done(&shown));
	text_show(&shown, &c->screen, (struct str){ query.p + at, query.n - at });
	buf_z(b, "  ");
	if (text_width(buf_done(&shown)) > room)
		text_fit(b, &c->screen, buf_done(&shown), room, false);
	else
		buf_str(b, buf_done(&shown));
	buf_printf(b, "\n  %*s", (int)width, "");
	style_err(b, &c->screen, style);
	buf_char(b, '^');
	style_err(b, &c->screen, PLAIN);
	buf_char(b, '\n');
	buf_free(&shown);
}

void
api_caret(const struct client *c, int64_t position, enum style style)
{
	struct buf b = { .p = NULL };

	api_caret_add(&b, c, position, style);
	str_write(buf_done(&b), stderr);
	buf_free(&b);
}

/* ---- refusals ---- */

int64_t
api_position(struct str *message)
{
	static const char before[] = "Character ", after[] = " of the query: ";
	struct str rest = *message, digits;
	int64_t n;

	if (!str_starts(rest, STR("Character ")))
		return 0;
	rest = (struct str){ rest.p + sizeof(before) - 1, rest.n - (sizeof(before) - 1) };
	if (!str_part(&rest, ' ', &digits) || !str_int64(digits, &n))
		return 0;
	rest = (struct str){ rest.p - 1, rest.n + 1 };
	if (!str_starts(rest, STR(" of the query: ")))
		return 0;
	*message = (struct str){ rest.p + sizeof(after) - 1, rest.n - (sizeof(after) - 1) };
	return n;
}

static enum surface_exit
exit_of(long status)
{
	switch (status) {
	case 400:
	case 413:
		return WRONG_QUERY;
	case 401:
	case 403:
		return NOT_ALLOWED;
	case 404:
		return NOT_FOUND;
	case 429:
	case 503:
		return TRY_LATER;
	default:
		return FAILED_THERE;
	}
}

static void
print_field_errors(const struct client *c, const struct json_value *list)
{
	for (size_t i = 0; list != NULL && i < json_length(list); i++) {
		struct str field = value_text(json_at(list, i), "field");
		struct str message = value_text(json_at(list, i), "message");

		fail(c, DONE, "%.*s: %.*s", (int)field.n, field.p, (int)message.n, message.p);
	}
}

int
api_refused(struct client *c, const struct answer *a)
{
	const struct json_value *v = json_parse(c->page, buf_done(&a->body));
	const struct json_value *error = value_get(v, "error");
	struct str code = value_text(error, "code"), message = value_text(error, "message");
	struct str request = value_text(error, "request_id");
	int64_t position = api_position(&message);

	if (code.p == NULL)
		return fail(c, FAILED,
		    "%.*s answers %ld, and not as the API does: is it the right URL?",
		    (int)c->settings.url.n, c->settings.url.p, a->status);
	if (a->status >= 500)
		fail(c, DONE, "%.*s (%.*s, request %.*s)", (int)message.n, message.p, (int)code.n,
		    code.p, (int)request.n, request.p);
	else if (position > 0 || a->status == 404)
		fail(c, DONE, "%.*s", (int)message.n, message.p);
	else
		fail(c, DONE, "%.*s (%.*s)", (int)message.n, message.p, (int)code.n, code.p);
	api_caret(c, position, RED);
	print_field_errors(c, value_get(error, "field_errors"));
	if (a->status == 429 && a->retry_after >= 0)
		fail(c, DONE, "the API asks to wait for %lld s; --patience is less",
		    (long long)a->retry_after);
	return (int)exit_of(a->status);
}

void
api_warnings(const struct client *c, const struct json_value *answer)
{
	const struct json_value *list = value_get(answer, "warnings");

	for (size_t i = 0; list != NULL && i < json_length(list); i++) {
		struct str message = value_text(json_at(list, i), "message");
		int64_t position = 0;

		warn(c, "%.*s", (int)message.n, message.p);
		if (value_int(json_at(list, i), "position", &position))
			api_caret(c, position, YELLOW);
	}
}

int
api_answer(struct client *c, const struct answer *a, struct json_value **out)
{
	*out = NULL;
	if (a->status >= 300)
		return api_refused(c, a);
	if (a->status == 204)
		return DONE;
	*out = json_parse(c->page, buf_done(&a->body));
	if (*out != NULL && json_type(*out) == JSON_OBJECT)
		return DONE;
	return fail(c, FAILED, "%.*s answers what is no JSON object: is it the right URL?",
	    (int)c->settings.url.n, c->settings.url.p);
}

int
api_ask(struct client *c, const struct ask *ask, struct json_value **out)
{
	struct answer a;
	int status = http_ask(c, ask, &a);

	*out = NULL;
	return status == DONE ? api_answer(c, &a, out) : status;
}

int
api_get(struct client *c, struct str path, struct json_value **out)
{
	return api_ask(c, &(struct ask){ .method = "GET", .path = path, .repeatable = true }, out);
}
