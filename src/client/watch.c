/* SPDX-License-Identifier: ISC */
/* surface watch: prints the messages of a session's live stream, one JSON object on each line,
 * until the session ends.
 *
 *   POST .../stream-ticket            a ticket for one use; 409 session_not_ready until the session runs
 *   GET  .../stream, upgraded         a WebSocket with the ticket as subprotocol (socket.c)
 *   text frames                       printed
 *   binary frames (pictures)          dropped; a message of quality asks for as few as possible
 *
 * A session has one live stream. A person who controls it in the viewer is therefore not disturbed:
 * this program is refused with stream_already_active. */
#include "config.h"

#include "client/api.h"
#include "client/session.h"
#include "client/socket.h"
#include "client/value.h"

enum { READY_EVERY_MS = 1000 };

static int
get_ticket(struct client *c, struct str *ticket)
{
	struct ask ask = { .method = "POST",
		.path = session_path(c, c->words[0], "/stream-ticket") };
	const struct json_value *answered;
	struct answer a;
	int status;

	for (bool noted = false;; noted = true) {
		status = http_ask(c, &ask, &a);
		if (status != DONE)
			return status;
		if (a.status < 300)
			break;
		answered = value_get(json_parse(c->page, buf_done(&a.body)), "error");
		if (!str_is(value_text(answered, "code"), "session_not_ready"))
			return api_refused(c, &a);
		if (!noted)
			note(c, "the session does not run yet; waiting for it");
		nanosleep(
		    &(struct timespec){ READY_EVERY_MS / 1000, READY_EVERY_MS % 1000 * 1000000 },
		    NULL);
		arena_reset(c->page);
	}
	*ticket = value_text(
	    value_get(json_parse(c->page, buf_done(&a.body)), "stream_ticket"), "subprotocol");
	return ticket->p != NULL ? DONE : fail(c, FAILED, "the answer has no ticket");
}

/* "14:03:22 url  tab 1  https://example.com/": the type and what the message has besides. */
static void
print_stream_message(struct client *c, const struct json_value *v)
{
	struct buf b = { .p = NULL };

	if (c->form == FORM_TABLE) {
		style_out(&b, &c->screen, BOLD);
		text_show(&b, &c->screen, value_text(v, "type"));
		style_out(&b, &c->screen, PLAIN);
		buf_char(&b, ' ');
	}
	json_show(&b, v);
	buf_char(&b, '\n');
	fwrite(b.p, 1, b.n, stdout);
	fflush(stdout);
	buf_free(&b);
}

static void
on_text(void *arg, struct str text)
{
	struct client *c = arg;
	const struct json_value *v;

	arena_reset(c->page);
	v = json_parse(c->page, text);
	if (v != NULL && json_type(v) == JSON_OBJECT)
		print_stream_message(c, v);
}

/* The exit status for the close code; surfaced-stream-messages(7) lists them. */
static int
report_end(const struct client *c, const struct socket *s)
{
	static const struct {
		unsigned code;
		enum surface_exit status;
		const char *means;
	} ends[] = {
		{ WS_NORMAL, DONE, "the session is over" },
		{ WS_GOING_AWAY, TRY_LATER, "the service restarts, and the session goes on" },
		{ WS_POLICY, NOT_ALLOWED, "the key may not use the session any more" },
		{ WS_TRY_LATER, TRY_LATER,
		    "the browser cannot be reached, or a newer stream has taken over" },
	};

	for (size_t i = 0; i < COUNT(ends); i++) {
		if (ends[i].code != s->close_code)
			continue;
		if (ends[i].status == DONE)
			note(c, "%s", ends[i].means);
		return ends[i].status == DONE ? DONE : fail(c, ends[i].status, "%s", ends[i].means);
	}
	return fail(c, NO_ANSWER, "the live stream was closed with %u", s->close_code);
}

static int
run_watch_command(struct client *c)
{
	struct socket s = { .c = c, .on_text = on_text, .arg = c };
	int status = session_project(c);

	if (status == DONE)
		status = get_ticket(c, &s.subprotocol);
	if (status != DONE)
		return status;
	s.subprotocol = arena_str(c->arena, s.subprotocol);
	status = socket_open(&s, session_path(c, c->words[0], "/stream"));
	if (status == DONE)
		status = socket_send(&s, STR("{\"type\":\"quality\",\"fps\":1,\"quality\":1}"));
	if (status == DONE)
		status = socket_read(&s);
	if (status == DONE)
		status = report_end(c, &s);
	socket_close(&s);
	return status;
}

static const struct option_row watch_options[] = { PROJECT_OPTION, { 0 } };

static const struct command watch_command = { .name = "watch",
	.arguments = "SESSION",
	.help = "print the messages of a session's live stream until it ends",
	.run = run_watch_command,
	.options = watch_options,
	.min = 1,
	.max = 1 };

COMMAND(watch_command);
