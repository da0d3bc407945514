/* SPDX-License-Identifier: ISC */
/* Calls of tools that run side by side, in one thread:
 *
 *   call_begin -> WAITING --(one of CALLS_RUNNING places is free, due has come)--> RUNNING
 *                    ^                                                               |
 *                    +--- 429, 503: after Retry-After; broken connection: later -----+
 *                    +--- the page is too large: at once, with a smaller limit ------+
 *                                                                                    |
 *                                                            the result is written to calls.out
 *
 * Each call has a struct client of its own, a copy with its own memory, so that the functions of
 * http.c and api.c serve it as they serve a command. libcurl keeps the connections and runs all
 * transfers at once. */
#include "config.h"

#include "client/mcp_ask.h"
#include "client/mcp_call.h"
#include "client/mcp_message.h"
#include "client/mcp_result.h"
#include "client/value.h"

#include <curl/curl.h>
#include <poll.h>

enum { STEP_MS = 60000 };
static const size_t CALL_MEMORY = (size_t)1 << 32;

struct call {
	struct call *next;
	struct client client;
	struct str id, head;
	const struct tool *tool;
	const struct json_value *args;
	struct ask ask;
	struct answer answer;
	struct transfer *transfer; /* NULL: WAITING */
	int tried;
	int64_t due_ms, lowered;
};

static int64_t
clock_ms(void)
{
	return mono_us() / 1000;
}

void
calls_begin(struct calls *calls, const struct client *c)
{
	calls->client = c;
	calls->multi = curl_multi_init();
	if (calls->multi == NULL)
		panic("libcurl does not start");
	curl_multi_setopt(calls->multi, CURLMOPT_MAXCONNECTS, (long)CALLS_RUNNING);
}

/* ---- ends ---- */

/* Stops the transfer of a call, or does nothing. */
static void
detach(struct calls *calls, struct call *call, CURLcode rc)
{
	if (call->transfer == NULL)
		return;
	curl_multi_remove_handle(calls->multi, call->client.curl);
	http_done(call->transfer, (int)rc);
	call->transfer = NULL;
	calls->running--;
}

static void
mcp_call_free(struct calls *calls, struct call *call)
{
	struct call **at = &calls->first;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	calls->n--;
	detach(calls, call, CURLE_ABORTED_BY_CALLBACK);
	http_end(&call->client);
	arena_free(call->client.page);
	free(call);
}

void
calls_end(struct calls *calls)
{
	while (calls->first != NULL)
		mcp_call_free(calls, calls->first);
	curl_multi_cleanup(calls->multi);
	buf_free(&calls->out);
}

/* Writes {"resultType":"complete",...} or {...}: head is in front of the members of the result. */
static void
send_call_result(struct calls *calls, struct str id, struct str head, struct str result)
{
	struct buf b = { .p = NULL };

	buf_char(&b, '{');
	buf_str(&b, head);
	buf_add(&b, result.p + 1, result.n - 1);
	rpc_result(&calls->out, id, buf_done(&b));
	buf_free(&b);
}

static void
finish_failed(struct calls *calls, struct call *call, struct str why)
{
	struct buf b = { .a = call->client.page };

	result_failed(&b, &call->client, why);
	send_call_result(calls, call->id, call->head, buf_done(&b));
	mcp_call_free(calls, call);
}

static void
finish_answered(struct calls *calls, struct call *call)
{
	struct buf b = { .a = call->client.page };

	result_of_answer(&b, &call->client, &call->answer, calls->most, call->lowered);
	send_call_result(calls, call->id, call->head, buf_done(&b));
	mcp_call_free(calls, call);
}

static struct call *
find_call(const struct calls *calls, struct str id)
{
	struct call *call = calls->first;

	while (call != NULL && !str_eq(call->id, id))
		call = call->next;
	return call;
}

bool
call_is_running(const struct calls *calls, struct str id)
{
	return find_call(calls, id) != NULL;
}

void
call_cancel(struct calls *calls, struct str id)
{
	struct call *call = find_call(calls, id);

	if (call != NULL)
		mcp_call_free(calls, call);
}

/* ---- attempts ---- */

static void
attempt(struct calls *calls, struct call *call)
{
	call->tried++;
	call->transfer = http_begin(&call->client, &call->ask, &call->answer);
	curl_easy_setopt(call->client.curl, CURLOPT_PRIVATE, call);
	if (curl_multi_add_handle(calls->multi, call->client.curl) != CURLM_OK)
		panic("libcurl does not take a transfer");
	calls->running++;
}

/* Makes the request from the arguments; false after the result of a call that cannot be made. */
static bool
prepare(struct calls *calls, struct call *call)
{
	const struct ask_bounds bounds = { .usual = calls->usual, .limit = call->lowered };
	struct buf why = { .a = call->client.page };

	if (tool_ask(&call->client, call->tool, call->args, &bounds, &call->ask, &why))
		return true;
	finish_failed(calls, call, buf_done(&why));
	return false;
}

/* Milliseconds until the next attempt, or -1: the answer is the last one. */
static int64_t
next_attempt_ms(struct calls *calls, struct call *call)
{
	struct answer *a = &call->answer;
	int64_t fitting;

	if (a->status == 0)
		return a->broken && call->ask.repeatable && !calls->ending
			   ? http_again_ms(call->tried)
			   : -1;
	if (call->ask.repeatable && !calls->ending && (a->status == 429 || a->status == 503)) {
		call->tried = 0;
		return http_wait_ms(&call->client, a);
	}
	if (call->lowered > 0 || tool_parameter_named(call->tool, STR("limit")) == NULL)
		return -1;
	fitting = result_fitting_limit(&call->client, a, calls->most);
	if (fitting == 0)
		return -1;
	call->lowered = fitting;
	call->tried = 0;
	return 0;
}

static void
on_transfer_end(struct calls *calls, struct call *call, CURLcode rc)
{
	struct buf why = { .a = call->client.page };
	int64_t ms, lowered = call->lowered;

	detach(calls, call, rc);
	ms = next_attempt_ms(calls, call);
	if (ms >= 0) {
		call->due_ms = clock_ms() + ms;
		if (call->lowered != lowered)
			(void)prepare(calls, call); /* true, as it was before */
	} else if (call->answer.status != 0) {
		finish_answered(calls, call);
	} else {
		buf_printf(&why, "The API cannot be reached: %s\n", call->answer.why);
		finish_failed(calls, call, buf_done(&why));
	}
}

static void
refuse_call(struct calls *calls, struct str id, struct str head, const char *why)
{
	struct client c = *calls->client;
	struct buf b = { .p = NULL };

	c.page = arena_new(CALL_MEMORY);
	result_failed(&b, &c, str_of(why));
	send_call_result(calls, id, head, buf_done(&b));
	buf_free(&b);
	arena_free(c.page);
}

void
call_begin(struct calls *calls, struct str id, struct str head, const struct tool *t,
    const struct json_value *args)
{
	struct call *call, **at = &calls->first;
	struct buf copy = { .p = NULL };

	if (calls->n == CALLS_MAX) {
		refuse_call(calls, id, head,
		    "Too many calls run at once; ask again when some have ended.\n");
		return;
	}
	call = mem_zero(sizeof(*call));
	call->client = *calls->client;
	call->client.curl = NULL;
	call->client.page = arena_new(CALL_MEMORY);
	call->id = arena_str(call->client.page, id);
	call->head = arena_str(call->client.page, head);
	call->tool = t;
	if (args != NULL) {
		json_show(&copy, args);
		call->args = json_parse(call->client.page, buf_done(&copy));
		buf_free(&copy);
	}
	while (*at != NULL)
		at = &(*at)->next;
	*at = call;
	calls->n++;
	(void)prepare(calls, call); /* a call that cannot be made has ended */
}

/* ---- the loop ---- */

/* Starts calls whose time has come and returns the milliseconds until that of the next one. */
static int64_t
start_due(struct calls *calls)
{
	int64_t now = clock_ms(), wait = STEP_MS;

	for (struct call *call = calls->first, *next; call != NULL; call = next) {
		next = call->next;
		if (call->transfer != NULL)
			continue;
		if (calls->ending && call->due_ms > now)
			finish_failed(calls, call, STR("The input ended while the call waited.\n"));
		else if (call->due_ms > now)
			wait = call->due_ms - now < wait ? call->due_ms - now : wait;
		else if (calls->running < CALLS_RUNNING)
			attempt(calls, call);
	}
	return wait;
}

static void
take_finished(struct calls *calls)
{
	const CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(calls->multi, &left)) != NULL) {
		CURLcode rc = m->data.result;
		char *call = NULL;

		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &call);
		on_transfer_end(calls, (struct call *)(void *)call, rc);
	}
}

bool
calls_step(struct calls *calls, int fd)
{
	struct curl_waitfd in = { .fd = fd, .events = CURL_WAIT_POLLIN };
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	int64_t wait;
	int still;

	start_due(calls);
	curl_multi_perform(calls->multi, &still);
	take_finished(calls);
	wait = start_due(calls); /* ended calls leave places */
	if (calls->out.n > 0)
		wait = 0;
	if (fd < 0 && calls->n == 0)
		return false;
	curl_multi_poll(calls->multi, fd < 0 ? NULL : &in, fd < 0 ? 0 : 1, (int)wait, NULL);
	curl_multi_perform(calls->multi, &still);
	take_finished(calls);
	return fd >= 0 && poll(&ready, 1, 0) >
			      0; /* libcurl does not answer the end of a pipe in each version */
}
