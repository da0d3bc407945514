/* SPDX-License-Identifier: ISC */
/* browser/runner: CDP over pipes, profiles, what evidence keeps of a request. */
#include "config.h"

#include "browser/runner/cdp.h"
#include "browser/runner/evidence.h"
#include "browser/runner/profile.h"
#include "t/unit/tap.h"
#include "json/tree.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* ---- CDP: this test is the browser ---- */

static struct event_base *base;
static struct cdp *cdp;
static int from_cdp, to_cdp; /* the browser's ends */
static int answers, failures, events, closings;
static char last_text[64], last_session[64];
static size_t last_length;

static void
on_done(void *arg, const struct json_value *result)
{
	int *sum = arg;

	if (result == NULL)
		failures++;
	else
		answers++;
	if (sum != NULL)
		*sum += (int)cdp_int(result, "n");
}

static void
on_event(void *arg, const struct cdp_event *event)
{
	struct str text = cdp_text(event->params, "text");

	(void)arg;
	if (!str_is(event->method, "Page.said"))
		return;
	events++;
	last_length = text.n;
	snprintf(last_text, sizeof(last_text), "%.*s", (int)text.n, text.p);
	snprintf(
	    last_session, sizeof(last_session), "%.*s", (int)event->session.n, event->session.p);
}

static void
on_closed(void *arg)
{
	(void)arg;
	closings++;
}

static const struct cdp_side side = { on_event, on_closed };

static void
open_cdp(void)
{
	int in[2], out[2];

	CU_ASSERT_EQUAL_FATAL(pipe2(in, O_CLOEXEC), 0);
	CU_ASSERT_EQUAL_FATAL(pipe2(out, O_CLOEXEC), 0);
	base = event_base_new();
	answers = failures = events = closings = 0;
	to_cdp = in[1];
	from_cdp = out[0];
	cdp = cdp_new(base, in[0], out[1], &side, NULL);
}

static void
close_cdp(void)
{
	cdp_free(cdp);
	event_base_free(base);
	if (to_cdp >= 0)
		close(to_cdp);
	close(from_cdp);
}

static void
turn(void)
{
	for (int i = 0; i < 8; i++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

static void
say(const char *text)
{
	CU_ASSERT_EQUAL(write(to_cdp, text, strlen(text) + 1), (ssize_t)strlen(text) + 1);
	turn();
}

static void
a_call_has_its_reply(void)
{
	static const char want[] =
	    "{\"id\":1,\"method\":\"A.b\",\"params\":{}}\0"
	    "{\"id\":2,\"method\":\"A.c\",\"sessionId\":\"S\",\"params\":{\"x\":1}}";
	char got[256];
	int sum = 0;

	open_cdp();
	cdp_send(cdp, &(struct cdp_call){ .method = "A.b", .done = on_done, .arg = &sum });
	cdp_send(cdp, &(struct cdp_call){ .session = STR("S"),
			  .method = "A.c",
			  .constant = "{\"x\":1}",
			  .done = on_done,
			  .arg = &sum });
	CU_ASSERT_EQUAL(read(from_cdp, got, sizeof(got)), (ssize_t)sizeof(want));
	CU_ASSERT_EQUAL(memcmp(got, want, sizeof(want)), 0);
	say("{\"id\":2,\"result\":{\"n\":40},\"sessionId\":\"S\"}");
	say("{\"id\":1,\"result\":{\"n\":2}}");
	say("{\"id\":1,\"result\":{\"n\":5}}"); /* again: nobody's */
	say("{\"id\":9,\"result\":{}}");
	CU_ASSERT_EQUAL(answers, 2);
	CU_ASSERT_EQUAL(sum, 42);
	close_cdp();
}

static void
an_error_is_no_reply(void)
{
	open_cdp();
	cdp_send(cdp, &(struct cdp_call){ .method = "A.b", .done = on_done });
	say("{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"no\"}}");
	CU_ASSERT_EQUAL(answers, 0);
	CU_ASSERT_EQUAL(failures, 1);
	close_cdp();
}

static void
messages_come_in_pieces(void)
{
	static const char text[] =
	    "{\"method\":\"Page.said\",\"params\":{\"text\":\"one\"},\"sessionId\":"
	    "\"S1\"}\0"
	    "{\"method\":\"Page.other\",\"params\":{}}\0"
	    "{\"method\":\"Page.said\",\"params\":{\"text\":\"two\"}}";

	open_cdp();
	for (size_t i = 0; i < sizeof(text); i++) {
		CU_ASSERT_EQUAL(write(to_cdp, text + i, 1), 1);
		turn();
	}
	CU_ASSERT_EQUAL(events, 2);
	CU_ASSERT_STRING_EQUAL(last_text, "two");
	CU_ASSERT_STRING_EQUAL(last_session, "");
	CU_ASSERT_EQUAL(write(to_cdp, text, sizeof(text)), (ssize_t)sizeof(text));
	turn();
	CU_ASSERT_EQUAL(events, 4);
	close_cdp();
}

/* As a screenshot is. */
static void
a_message_may_be_megabytes(void)
{
	enum { SIZE = 5 * 1024 * 1024 };
	static const char head[] = "{\"method\":\"Page.said\",\"params\":{\"text\":\"";
	char *big = malloc(SIZE);
	struct buf b = { 0 };
	size_t sent = 0;

	open_cdp();
	memset(big, 'a', SIZE);
	buf_z(&b, head);
	buf_add(&b, big, SIZE);
	buf_add(&b, "\"}}", 4);
	fcntl(to_cdp, F_SETFL, O_NONBLOCK);
	while (sent < b.n) {
		ssize_t n = write(to_cdp, b.p + sent, b.n - sent);

		sent += n > 0 ? (size_t)n : 0;
		turn();
	}
	turn();
	CU_ASSERT_EQUAL(events, 1);
	CU_ASSERT_EQUAL(last_length, SIZE);
	buf_free(&b);
	free(big);
	close_cdp();
}

static void
nonsense_is_passed_over(void)
{
	open_cdp();
	say("");
	say("{");
	say("[1]");
	say("{\"id\":\"x\"}");
	say("{\"id\":-1,\"result\":{}}");
	say("{\"method\":\"Page.said\",\"params\":{\"text\":\"\\ud800\"}}");
	say("{\"method\":\"Page.said\",\"params\":{\"text\":\"fine\"}}");
	CU_ASSERT_EQUAL(events, 2); /* half a character is no nonsense */
	CU_ASSERT_STRING_EQUAL(last_text, "fine");
	CU_ASSERT_EQUAL(closings, 0);
	close_cdp();
}

static void
call_in(const char *session)
{
	cdp_send(cdp,
	    &(struct cdp_call){ .session = str_of(session), .method = "A.b", .done = on_done });
}

static void
a_session_that_goes_fails_its_calls(void)
{
	open_cdp();
	for (int i = 0; i < 300; i++) {
		call_in("S1");
		call_in("S2");
	}
	cdp_forget(cdp, STR("S1"));
	CU_ASSERT_EQUAL(failures, 300);
	close_cdp();
	CU_ASSERT_EQUAL(failures, 600);
}

/* Whoever calls again when it fails is not called for ever. */
static void
call_again(void *arg, const struct json_value *result)
{
	(void)result;
	failures++;
	cdp_send(arg, &(struct cdp_call){
			  .session = STR("S"), .method = "A.b", .done = call_again, .arg = arg });
}

static void
a_call_may_follow_its_failure(void)
{
	open_cdp();
	cdp_send(cdp, &(struct cdp_call){
			  .session = STR("S"), .method = "A.b", .done = call_again, .arg = cdp });
	cdp_forget(cdp, STR("S"));
	CU_ASSERT_EQUAL(failures, 1);
	close_cdp();
	CU_ASSERT_EQUAL(failures, 2);
}

static void
the_end_fails_all(void)
{
	open_cdp();
	call_in("S1");
	call_in("");
	close(to_cdp);
	to_cdp = -1;
	turn();
	CU_ASSERT_EQUAL(closings, 1);
	CU_ASSERT_EQUAL(failures, 2);
	call_in("S1"); /* too late */
	turn();
	CU_ASSERT_EQUAL(failures, 3);
	CU_ASSERT_EQUAL(closings, 1);
	close_cdp();
}

static void
a_browser_that_reads_nothing_is_given_up(void)
{
	static char big[1024 * 1024];

	open_cdp();
	memset(big, ' ', sizeof(big) - 1);
	big[0] = '{';
	big[1] = '}';
	for (int i = 0; i < 40; i++)
		cdp_send(cdp, &(struct cdp_call){ .method = "A.b", .constant = big });
	turn();
	CU_ASSERT_EQUAL(closings, 1);
	close_cdp();
}

/* ---- profiles ---- */

static void
a_profile_is_consistent(void)
{
	struct profile *p = profile_new(STR("windows"), STR("156.0.8078.79"), STR("DE"));

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_TRUE(str_is(profile_user_agent(p),
	    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like "
	    "Gecko) Chrome/156.0.0.0 Safari/537.36"));
	CU_ASSERT_TRUE(str_eq(profile_header(p, STR("User-Agent")), profile_user_agent(p)));
	CU_ASSERT_TRUE(str_is(profile_header(p, STR("sec-ch-ua")),
	    "\"Not:A-Brand\";v=\"8\", \"Chromium\";v=\"156\", \"Google "
	    "Chrome\";v=\"156\""));
	CU_ASSERT_TRUE(str_is(profile_header(p, STR("Sec-CH-UA-Platform")), "\"Windows\""));
	CU_ASSERT_TRUE(str_is(
	    profile_header(p, STR("accept-language")), "de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7"));
	CU_ASSERT_PTR_NULL(profile_header(p, STR("Accept")).p);
	CU_ASSERT_TRUE(str_is(profile_locale(p), "de-DE"));
	CU_ASSERT_PTR_NOT_NULL(strstr(profile_override(p), "\"platform\":\"Win32\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(profile_worker_patch(p), "\\\"Win32\\\""));
	profile_free(p);
}

static void
profiles_are_three(void)
{
	static const char *const names[] = { "windows", "macos", "linux" };
	struct profile *p;

	for (size_t i = 0; i < COUNT(names); i++) {
		p = profile_new(str_of(names[i]), STR("157.1.2.3"), STR(""));
		CU_ASSERT_PTR_NOT_NULL_FATAL(p);
		CU_ASSERT_TRUE(str_is(profile_languages(p), "en-US,en"));
		CU_ASSERT_EQUAL(profile_timezone(p).n, 0);
		profile_free(p);
	}
	CU_ASSERT_PTR_NULL(profile_new(STR("amiga"), STR("156"), STR("")));
	CU_ASSERT_PTR_NULL(profile_new(STR(""), STR("156"), STR("")));
}

/* ---- evidence ---- */

static void
an_address_has_an_origin(void)
{
	static const struct {
		const char *url, *host;
		int64_t port;
	} cases[] = {
		{ "http://a.net/x", "a.net", 80 },
		{ "https://a.net", "a.net", 443 },
		{ "ws://a.net:81?x", "a.net", 81 },
		{ "wss://u:p@a.net#x", "a.net", 443 },
		{ "https://[2606::1]:8443/", "2606::1", 8443 },
		{ "http://[2606::1]/", "2606::1", 80 },
		{ "http://a@b@c.net/@", "c.net", 80 },
		{ "blob:http://a.net/x", NULL, 0 },
		{ "data:text/html,x", NULL, 0 },
		{ "http:///x", NULL, 0 },
		{ "http://a.net:70000/", NULL, 0 },
		{ "http://a.net:x/", NULL, 0 },
		{ "http://u@/", NULL, 0 },
		{ "x", NULL, 0 },
		{ "", NULL, 0 },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str host;
		int64_t port;
		bool good = evidence_origin(str_of(cases[i].url), &host, &port);

		CU_ASSERT_EQUAL(good, cases[i].host != NULL);
		if (good && cases[i].host != NULL) {
			CU_ASSERT_TRUE(str_is(host, cases[i].host));
			CU_ASSERT_EQUAL(port, cases[i].port);
		}
	}
}

static void
an_address_keeps_no_secret(void)
{
	struct evidence e = { 0 };
	static char longer[6000];

	CU_ASSERT_TRUE(str_is(evidence_url(&e, STR("http://u:p@a.net/x@y")), "http://a.net/x@y"));
	CU_ASSERT_TRUE(str_is(evidence_url(&e, STR("https://a.net/?q#f")), "https://a.net/?q#f"));
	CU_ASSERT_TRUE(str_is(evidence_url(&e, STR("data:text/html,geheim")), "data:"));
	CU_ASSERT_TRUE(str_is(evidence_url(&e, STR("geheim")), "other:"));
	memset(longer, 'a', sizeof(longer));
	snprintf(longer, 10, "http://a/");
	longer[9] = 'a';
	CU_ASSERT_EQUAL(evidence_url(&e, (struct str){ longer, sizeof(longer) }).n, 4096);
	longer[8] = 'a';
	longer[5000] = '@'; /* what would be cut off within the user's name */
	CU_ASSERT_EQUAL(evidence_url(&e, (struct str){ longer, sizeof(longer) }).n,
	    sizeof(longer) - (5001 - 7));
	CU_ASSERT_TRUE(str_is(evidence_copy(&e, (struct str){ "a\0b", 3 }), "a b"));
	evidence_free(&e);
}

static struct list
headers_of(struct evidence *e, struct arena *a, const char *json, int64_t *bytes)
{
	return evidence_headers(e, json_parse(a, str_of(json)), bytes);
}

static void
headers_keep_no_secret(void)
{
	static const char json[] =
	    "{\"Authorization\":\"geheim\",\"COOKIE\":\"geheim\",\"set-cookie\":"
	    "\"geheim\\ngeheim\","
	    "\"Proxy-Authorization\":\"geheim\",\"proxy-x\":\"geheim\",\"X-API-Key\":"
	    "\"geheim\","
	    "\"Via\":\"a\\nb\",\"Cookies\":\"shown\",\"Empty\":\"\"}";
	struct arena *a = arena_new(1 << 20);
	struct evidence e = { 0 };
	int64_t bytes;
	struct list l = headers_of(&e, a, json, &bytes);
	const struct net_header *h = l.items;

	CU_ASSERT_EQUAL_FATAL(l.n, 11);
	for (size_t i = 0; i < 7; i++)
		CU_ASSERT_TRUE(str_is(h[i].value, "[redacted]"));
	CU_ASSERT_TRUE(str_is(h[7].value, "a"));
	CU_ASSERT_TRUE(str_is(h[8].value, "b"));
	CU_ASSERT_TRUE(str_is(h[9].value, "shown"));
	CU_ASSERT_EQUAL(h[10].value.n, 0);
	CU_ASSERT_TRUE(bytes > 100);
	evidence_free(&e);
	arena_free(a);
}

static void
headers_are_bounded(void)
{
	struct arena *a = arena_new(1 << 26);
	struct evidence e = { 0 };
	struct buf b = { 0 };
	struct list l;
	size_t sum = 0;

	buf_char(&b, '{');
	for (int i = 0; i < 500; i++) {
		buf_printf(&b, "%s\"h%d\":\"", i > 0 ? "," : "", i);
		for (int k = 0; k < 3000; k++)
			buf_z(&b, "\xc3\xa4");
		buf_char(&b, '"');
	}
	buf_char(&b, '}');
	buf_char(&b, '\0');
	l = headers_of(&e, a, b.p, NULL);
	CU_ASSERT_TRUE(l.n > 5 && l.n <= 64);
	for (size_t i = 0; i < l.n; i++) {
		const struct net_header *h = (const struct net_header *)l.items + i;

		sum += h->value.n;
		CU_ASSERT_EQUAL(str_utf8_bad(h->value), h->value.n);
	}
	CU_ASSERT_TRUE(sum <= 12288);
	buf_free(&b);
	evidence_free(&e);
	arena_free(a);
}

static void
bytes_are_those_of_the_wire(void)
{
	struct arena *a = arena_new(1 << 20);
	struct evidence e = { 0 };
	int64_t bytes;

	CU_ASSERT_EQUAL(evidence_line(STR("GET"), STR("http://a.net/x?y#z")),
	    (int64_t)strlen("GET /x?y HTTP/1.1\r\n"));
	CU_ASSERT_EQUAL(evidence_line(STR("POST"), STR("https://u:p@a.net?y")),
	    (int64_t)strlen("POST /?y HTTP/1.1\r\n"));
	CU_ASSERT_EQUAL(evidence_line(STR("GET"), STR("http://a.net#z")),
	    (int64_t)strlen("GET / HTTP/1.1\r\n"));
	(void)headers_of(&e, a, "{\"content-Length\":\"70000\",\"A\":\"b\"}", &bytes);
	CU_ASSERT_EQUAL(bytes, (int64_t)strlen("content-Length: 70000\r\nA: b\r\n") + 70000);
	(void)headers_of(
	    &e, a, "{\"Content-Length\":\"-5\",\"CONTENT-LENGTH\":\"99999999999\"}", &bytes);
	CU_ASSERT_EQUAL(
	    bytes, (int64_t)strlen("Content-Length: -5\r\nContent-Length: 99999999999\r\n"));
	evidence_free(&e);
	arena_free(a);
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "a call gets its reply", a_call_has_its_reply },
		{ "an error is not a reply", an_error_is_no_reply },
		{ "messages may arrive in pieces", messages_come_in_pieces },
		{ "a message may have megabytes", a_message_may_be_megabytes },
		{ "malformed messages are ignored", nonsense_is_passed_over },
		{ "a session that ends fails its calls", a_session_that_goes_fails_its_calls },
		{ "a call may be made after a failure", a_call_may_follow_its_failure },
		{ "the end of the browser fails all calls", the_end_fails_all },
		{ "a browser that does not read is given up",
		    a_browser_that_reads_nothing_is_given_up },
		{ "a profile is consistent in all its values", a_profile_is_consistent },
		{ "there are three profiles", profiles_are_three },
		{ "an address has its origin", an_address_has_an_origin },
		{ "a recorded address contains no secret", an_address_keeps_no_secret },
		{ "recorded headers contain no secret", headers_keep_no_secret },
		{ "recorded headers are limited", headers_are_bounded },
		{ "the counted bytes are those of the network", bytes_are_those_of_the_wire },
		CU_TEST_INFO_NULL,
	};

	signal(SIGPIPE, SIG_IGN);
	return tap_main(tests);
}
