/* SPDX-License-Identifier: ISC */
/* The live stream: a viewer on a Unix socket, and a browser that only notes its commands. */
#include "config.h"

#include "browser/runner/live_priv.h"
#include "t/unit/refusing.h"
#include "t/unit/tap.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct event_base *base;
static struct live *live;
static char path[64];
static int peer;
static struct buf calls; /* what was asked of the browser, "name args;" each */
static struct buf heard; /* bytes from the server */
static int ended;

/* ---- the browser ---- */

static void
do_watch(void *arg, bool on, int64_t fps, int64_t quality)
{
	(void)arg;
	buf_printf(&calls, "watch %d %d %d;", on, (int)fps, (int)quality);
}

static void
do_taken(void *arg, int64_t token)
{
	(void)arg;
	buf_printf(&calls, "taken %d;", (int)token);
}

static void
do_mouse(void *arg, const struct stream_mouse *m)
{
	(void)arg;
	buf_printf(&calls, "mouse %.*s %g %g %.*s %d %d %d %g %g;", (int)m->action.n, m->action.p,
	    m->x, m->y, (int)m->button.n, m->button.p, (int)m->buttons, (int)m->clicks,
	    (int)m->modifiers, m->dx, m->dy);
}

static void
do_key(void *arg, const struct stream_key *k)
{
	(void)arg;
	buf_printf(&calls, "key %.*s %.*s %.*s %.*s %d %d;", (int)k->action.n, k->action.p,
	    (int)k->key.n, k->key.p, (int)k->code.n, k->code.p, (int)k->text.n, k->text.p,
	    (int)k->modifiers, k->repeat);
}

static void
do_text(void *arg, struct str text)
{
	(void)arg;
	buf_printf(&calls, "text %.*s;", (int)text.n, text.p);
}

static void
do_nav(void *arg, struct str url)
{
	(void)arg;
	buf_printf(&calls, "nav %.*s;", (int)url.n, url.p);
}

static void
do_history(void *arg, int steps)
{
	(void)arg;
	buf_printf(&calls, "history %d;", steps);
}

static void
do_reload(void *arg)
{
	(void)arg;
	buf_z(&calls, "reload;");
}

static void
do_stop(void *arg)
{
	(void)arg;
	buf_z(&calls, "stop;");
}

static void
do_tab(void *arg, int64_t tab)
{
	(void)arg;
	buf_printf(&calls, "tab %d;", (int)tab);
}

static void
do_close_tab(void *arg, int64_t tab)
{
	(void)arg;
	buf_printf(&calls, "close_tab %d;", (int)tab);
}

static void
do_dialog(void *arg, const struct stream_dialog *d)
{
	(void)arg;
	buf_printf(&calls, "dialog %d %.*s;", d->accept, (int)d->text.n, d->text.p);
}

static void
do_shot(void *arg)
{
	(void)arg;
	buf_z(&calls, "shot;");
}

static void
do_ended(void *arg)
{
	(void)arg;
	ended++;
}

static const struct live_ops ops = {
	do_watch,
	do_taken,
	do_mouse,
	do_key,
	do_text,
	do_nav,
	do_history,
	do_reload,
	do_stop,
	do_tab,
	do_close_tab,
	do_dialog,
	do_shot,
	do_ended,
};

/* ---- the world ---- */

static void
turn(void)
{
	for (int i = 0; i < 5; i++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

static void
start(void)
{
	snprintf(path, sizeof(path), "/tmp/live.%d.sock", (int)getpid());
	base = event_base_new();
	live = live_new(base, path, &ops, NULL);
	CU_ASSERT_PTR_NOT_NULL_FATAL(live);
	buf_clear(&calls);
	buf_clear(&heard);
	ended = 0;
	live_hello(live, &(struct stream_hello){ .profile = STR("windows"),
			     .country = STR("DE"),
			     .viewport = { 800, 600 },
			     .expires_at = TS_NULL });
}

static int
come(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	memcpy(at.sun_path, path, strlen(path) + 1);
	CU_ASSERT_EQUAL_FATAL(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	turn();
	return fd;
}

static void
finish(void)
{
	live_free(live);
	event_base_free(base);
	if (peer >= 0)
		close(peer);
	buf_free(&calls);
	buf_free(&heard);
	CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
}

static void
send_frame(unsigned first, const void *payload, size_t n)
{
	static const unsigned char mask[4] = { 1, 2, 3, 4 };
	unsigned char head[WS_HEAD_MAX], *copy = malloc(n + 1);
	size_t k = ws_head(head, first, n, mask);

	memcpy(copy, payload, n);
	ws_mask(copy, n, mask, 0);
	CU_ASSERT_EQUAL(send(peer, head, k, MSG_NOSIGNAL), (ssize_t)k);
	CU_ASSERT_EQUAL(send(peer, copy, n, MSG_NOSIGNAL), (ssize_t)n);
	free(copy);
}

static void
say(const char *text)
{
	send_frame(WS_FIN | WS_TEXT, text, strlen(text));
	turn();
}

/* Reads the bytes that have arrived; false at the end of the connection. */
static bool
hear(void)
{
	char room[65536];
	ssize_t n;

	while ((n = recv(peer, room, sizeof(room), 0)) > 0)
		buf_add(&heard, room, (size_t)n);
	return n != 0;
}

static bool
has(const struct buf *b, const char *text)
{
	return memmem(b->p == NULL ? "" : b->p, b->n, text, strlen(text)) != NULL;
}

static bool
called(const char *what)
{
	bool yes = has(&calls, what);

	if (!yes)
		fprintf(stderr, "wanted %s, got %.*s\n", what, (int)calls.n, calls.p);
	buf_clear(&calls);
	return yes;
}

static bool
told(const char *what)
{
	bool yes;

	hear();
	yes = has(&heard, what);
	if (!yes)
		fprintf(stderr, "wanted %s, got %.*s\n", what, (int)heard.n, heard.p);
	buf_clear(&heard);
	return yes;
}

/* ---- the first messages to a viewer ---- */

static void
a_viewer_hears_what_it_must_know(void)
{
	struct stream_tab_info tab = { 1, STR("https://example.com/"), STR("Example"), false };

	start();
	live_state(live, &(struct stream_state){ .state = STR("running") });
	live_tabs(live, &(struct stream_tabs){ .active = 1, .tabs = { &tab, 1 } });
	live_url(live, &(struct stream_url){ .url = STR("https://example.com/"), .tab = 1 });
	live_dialog_open(live, &(struct stream_dialog_open){ .tab = 1,
				   .kind = STR("prompt"),
				   .message = STR("name?"),
				   .preset = STR("me"),
				   .open = true });
	peer = come();
	hear();
	CU_ASSERT_TRUE(has(&heard, "{\"type\":\"hello\",\"version\":1,"));
	CU_ASSERT_TRUE(has(&heard, "\"viewport\":{\"width\":800,\"height\":600}"));
	CU_ASSERT_TRUE(has(&heard, "\"expires_at\":null"));
	CU_ASSERT_TRUE(has(&heard, "\"message_bytes\":16384"));
	CU_ASSERT_TRUE(has(&heard, "{\"type\":\"state\",\"state\":\"running\"}"));
	CU_ASSERT_TRUE(has(&heard, "\"title\":\"Example\""));
	CU_ASSERT_TRUE(has(&heard, "\"default\":\"me\",\"open\":true"));
	CU_ASSERT_TRUE(called("watch 1 10 60;"));
	buf_clear(&heard);
	live_title(live, &(struct stream_title){ .tab = 1, .title = STR("T") });
	turn();
	CU_ASSERT_TRUE(told("{\"type\":\"title\",\"tab\":1,\"title\":\"T\"}"));
	close(peer);
	turn();
	CU_ASSERT_TRUE(called("watch 0"));
	CU_ASSERT_FALSE(live_watched(live));
	peer = -1;
	finish();
}

static void
send_net(const char *url, size_t n)
{
	struct net_event e = { .id = uuid_random(),
		.at = ts_now(),
		.kind = STR("request"),
		.url = { url, n },
		.tls.not_after = TS_NULL };

	live_net(live, &(struct stream_net){ .events = { &e, 1 } });
}

static void
send_shot(const char *title)
{
	live_shot_taken(live, &(struct stream_shot_taken){ .id = uuid_random(),
				  .reason = STR("load"),
				  .tab = 1,
				  .url = STR("https://example.com/"),
				  .title = str_of(title),
				  .taken_at = ts_now() });
}

/* Where in what was heard the text begins, from 1; 0: nowhere. */
static size_t
place(const char *text)
{
	const char *at = memmem(heard.p, heard.n, text, strlen(text));

	return at == NULL ? 0 : (size_t)(at - heard.p) + 1;
}

static void
a_late_viewer_gets_the_past(void)
{
	start();
	send_net("https://example.com/one", 23);
	send_net("https://example.com/two", 23);
	send_shot("early");
	live_cert(live, &(struct stream_cert){ .tab = 1,
			    .url = STR("https://bad.example/"),
			    .error = STR("net::ERR_CERT_DATE_INVALID"),
			    .at = ts_now() });
	live_title(live, &(struct stream_title){ .tab = 1, .title = STR("T") });
	peer = come();
	hear();
	CU_ASSERT_TRUE(place("\"type\":\"hello\"") < place("example.com/one"));
	CU_ASSERT_TRUE(place("example.com/one") < place("example.com/two"));
	CU_ASSERT_TRUE(has(&heard, "\"title\":\"early\""));
	CU_ASSERT_TRUE(has(&heard, "ERR_CERT_DATE_INVALID"));
	CU_ASSERT_FALSE(has(&heard, "\"type\":\"title\""));
	close(peer);
	turn();
	send_net("https://example.com/six", 23);
	buf_clear(&heard);
	peer = come();
	hear();
	CU_ASSERT_TRUE(has(&heard, "example.com/one"));
	CU_ASSERT_TRUE(place("example.com/two") < place("example.com/six"));
	finish();
}

static void
the_past_is_bounded(void)
{
	static char url[4000];

	memset(url, 'u', sizeof(url));
	start();
	send_shot("early");
	send_net("https://example.com/one", 23);
	for (int i = 0; i < 1000; i++)
		send_net(url, sizeof(url));
	CU_ASSERT_TRUE(live->past.lists[PAST_NET].bytes <= 2 * 1024 * 1024);
	CU_ASSERT_TRUE(live->past.lists[PAST_NET].bytes > 1024 * 1024);
	peer = come();
	for (int i = 0; i < 100; i++) {
		hear();
		turn();
	}
	CU_ASSERT_FALSE(has(&heard, "example.com/one"));
	CU_ASSERT_TRUE(has(&heard, "\"title\":\"early\""));
	finish();
}

static void
texts_of_a_page_are_cut(void)
{
	static char big[3000];
	struct stream_tab_info tab = { 1, STR("u"), { big, sizeof(big) }, false };

	memset(big, 'x', sizeof(big));
	start();
	peer = come();
	live_tabs(live, &(struct stream_tabs){ .active = 1, .tabs = { &tab, 1 } });
	turn();
	hear();
	CU_ASSERT_TRUE(has(&heard, "xxxx"));
	big[513] = '\0';
	CU_ASSERT_FALSE(has(&heard, big));
	finish();
}

/* ---- the viewer's messages ---- */

static const struct {
	const char *text, *call;
} good[] = {
	{ "{\"type\":\"mouse\",\"action\":\"move\",\"x\":1.5,\"y\":600}",
	    "mouse move 1.5 600 none 0 0 0 0 0;" },
	{ "{\"type\":\"mouse\",\"action\":\"down\",\"x\":0,\"y\":0,\"button\":\"left\","
	  "\"buttons\":1,"
	  "\"clicks\":2,\"modifiers\":8}",
	    "mouse down 0 0 left 1 2 8 0 0;" },
	{ "{\"type\":\"mouse\",\"action\":\"wheel\",\"x\":9,\"y\":9,\"dx\":0,\"dy\":-"
	  "120}",
	    "mouse wheel 9 9 none 0 0 0 0 -120;" },
	{ "{\"type\":\"key\",\"action\":\"down\",\"key\":\"\xc3\xa4\",\"code\":\"Quote\","
	  "\"text\":\"\xc3\xa4\","
	  "\"repeat\":true}",
	    "key down \xc3\xa4 Quote \xc3\xa4 0 1;" },
	{ "{\"type\":\"text\",\"text\":\"pasted\"}", "text pasted;" },
	{ "{\"type\":\"nav\",\"url\":\" HTTPS://Example.com \"}", "nav https://example.com/;" },
	{ "{\"type\":\"back\"}", "history -1;" },
	{ "{\"type\":\"forward\"}", "history 1;" },
	{ "{\"type\":\"reload\"}", "reload;" },
	{ "{\"type\":\"stop\"}", "stop;" },
	{ "{\"type\":\"tab\",\"tab\":3}", "tab 3;" },
	{ "{\"type\":\"close_tab\",\"tab\":65535}", "close_tab 65535;" },
	{ "{\"type\":\"dialog\",\"accept\":true,\"text\":\"yes\"}", "dialog 1 yes;" },
	{ "{\"type\":\"quality\",\"fps\":30}", "watch 1 30 60;" },
	{ "{\"type\":\"quality\",\"quality\":80}", "watch 1 30 80;" },
	{ "{\"type\":\"shot\"}", "shot;" },
};

static void
every_message_is_understood(void)
{
	start();
	peer = come();
	for (size_t i = 0; i < COUNT(good); i++) {
		buf_clear(&calls);
		say(good[i].text);
		CU_ASSERT_TRUE(called(good[i].call));
	}
	hear();
	CU_ASSERT_FALSE(has(&heard, "error"));
	say("{\"type\":\"ping\"}");
	CU_ASSERT_TRUE(told("{\"type\":\"pong\"}"));
	CU_ASSERT_EQUAL(calls.n, 0); /* a ping is no activity */
	finish();
}

static const struct {
	const char *text, *error;
} bad[] = {
	{ "", "\"code\":\"invalid_json\",\"message\":\"is not JSON at byte 0" },
	{ "{\"type\":\"back\"} x",
	    "\"code\":\"invalid_json\",\"message\":\"is not JSON at byte 16" },
	{ "[]", "\"code\":\"required\"" },
	{ "{}", "\"field\":\"type\"" },
	{ "{\"type\":7}", "\"code\":\"required\"" },
	{ "{\"type\":\"hello\"}", "\"code\":\"unknown_message\"" },
	{ "{\"type\":\"bye\"}", "\"code\":\"unknown_message\"" },
	{ "{\"type\":\"mouse\",\"action\":\"move\",\"x\":1}",
	    "{\"type\":\"error\",\"code\":\"required\",\"message\":\"y is "
	    "required\",\"to\":\"mouse\","
	    "\"field\":\"y\"}" },
	{ "{\"type\":\"mouse\",\"action\":\"move\",\"x\":800.5,\"y\":1}",
	    "\"message\":\"x must be from 0 to 800\"" },
	{ "{\"type\":\"mouse\",\"action\":\"move\",\"x\":-1,\"y\":1}", "\"field\":\"x\"" },
	{ "{\"type\":\"mouse\",\"action\":\"jump\",\"x\":1,\"y\":1}", "\"field\":\"action\"" },
	{ "{\"type\":\"mouse\",\"action\":\"move\",\"x\":1,\"y\":1,\"z\":1}",
	    "\"code\":\"unknown_field\"" },
	{ "{\"type\":\"key\",\"action\":\"down\",\"key\":\"\",\"code\":\"\"}",
	    "\"field\":\"key\"" },
	{ "{\"type\":\"nav\",\"url\":\"file:///etc/passwd\"}", "\"to\":\"nav\",\"field\":\"url\"" },
	{ "{\"type\":\"nav\",\"url\":\"http://127.0.0.1/\"}",
	    "\"message\":\"127.0.0.1 is not public; sessions reach the public Internet "
	    "only\",\"to\":\"nav\",\"field\":\"url\"" },
	{ "{\"type\":\"nav\",\"url\":\"https://printer:8443/x\"}",
	    "\"message\":\"printer has only one label; give the full name of a public "
	    "host\"" },
	{ "{\"type\":\"nav\",\"url\":\"ftp://example.com/\"}",
	    "\"message\":\"url must begin with http:// or https://\"" },
	{ "{\"type\":\"tab\",\"tab\":0}", "\"field\":\"tab\"" },
	{ "{\"type\":\"quality\",\"fps\":61}", "\"field\":\"fps\"" },
	{ "{\"type\":\"quality\",\"quality\":81}", "\"field\":\"quality\"" },
	{ "{\"type\":\"dialog\"}", "\"field\":\"accept\"" },
	{ "{\"type\":\"ack\",\"frame\":4294967296}", "\"field\":\"frame\"" },
};

static void
faults_are_named(void)
{
	start();
	peer = come();
	hear();
	buf_clear(&calls);
	for (size_t i = 0; i < COUNT(bad); i++) {
		say(bad[i].text);
		CU_ASSERT_TRUE(told(bad[i].error));
	}
	jsonc_refuses = true;
	say("{\"type\":\"reload\"}");
	jsonc_refuses = false;
	CU_ASSERT_TRUE(told("{\"type\":\"error\",\"code\":\"internal_error\","));
	CU_ASSERT_EQUAL(calls.n, 0);
	CU_ASSERT_TRUE(live_watched(live));
	finish();
}

static void
say_text_of(size_t n)
{
	char *text = malloc(n + 64);
	int k = snprintf(text, 64, "{\"type\":\"text\",\"text\":\"");

	memset(text + k, 'a', n);
	snprintf(text + k + n, 3, "\"}");
	say(text);
	free(text);
}

static void
sizes_are_bounded(void)
{
	char *big = calloc(1, LIM_STREAM_MESSAGE + 1);

	start();
	peer = come();
	say_text_of(LIM_STREAM_TEXT);
	CU_ASSERT_TRUE(called("text aaaa"));
	hear();
	CU_ASSERT_FALSE(has(&heard, "error"));
	say_text_of(LIM_STREAM_TEXT + 1);
	CU_ASSERT_TRUE(told("\"code\":\"too_long\""));
	snprintf(
	    big, LIM_STREAM_MESSAGE + 1, "%-*s", (int)LIM_STREAM_MESSAGE, "{\"type\":\"stop\"}");
	say(big);
	CU_ASSERT_TRUE(called("stop;"));
	big[LIM_STREAM_MESSAGE] = ' ';
	send_frame(WS_FIN | WS_TEXT, big, LIM_STREAM_MESSAGE + 1);
	turn();
	CU_ASSERT_TRUE(told("\"code\":\"message_too_long\"")); /* C-750 */
	CU_ASSERT_EQUAL(calls.n, 0);
	send_frame(WS_FIN | WS_BINARY, "{}", 2);
	turn();
	CU_ASSERT_TRUE(told("\"code\":\"invalid_type\""));
	free(big);
	finish();
}

static void
rates_are_bounded(void)
{
	size_t n = 0;

	start();
	peer = come();
	hear();
	buf_clear(&heard);
	buf_clear(&calls);
	for (int i = 0; i < 1000; i++)
		say("{\"type\":\"stop\"}");
	for (size_t i = 0; i < calls.n; i++)
		n += calls.p[i] == ';';
	CU_ASSERT_TRUE(n >= 200);
	CU_ASSERT_TRUE(n < 1000);
	CU_ASSERT_TRUE(told("\"code\":\"too_many_messages\""));
	CU_ASSERT_TRUE(live_watched(live));
	finish();
}

static void
fragments_and_control_frames(void)
{
	start();
	peer = come();
	hear();
	buf_clear(&heard);
	send_frame(WS_TEXT, "{\"type\":", 8);
	send_frame(WS_FIN | WS_PING, "p?", 2);
	send_frame(WS_FIN | WS_CONTINUATION, "\"reload\"}", 9);
	turn();
	CU_ASSERT_TRUE(called("reload;"));
	CU_ASSERT_TRUE(told("\x8a\x02p?"));
	finish();
}

/* ---- the end ---- */

static void
a_close_is_answered(void)
{
	start();
	peer = come();
	hear();
	send_frame(WS_FIN | WS_CLOSE, "\x03\xe8", 2);
	turn();
	CU_ASSERT_FALSE(hear());
	CU_ASSERT_TRUE(told("\x88\x02\x03\xe8"));
	CU_ASSERT_TRUE(called("watch 0"));
	finish();
}

static void
a_breach_of_the_protocol_ends_it(void)
{
	start();
	peer = come();
	hear();
	CU_ASSERT_EQUAL(send(peer, "\x81\x02{}", 4, MSG_NOSIGNAL), 4); /* no mask */
	turn();
	CU_ASSERT_TRUE(told("\x03\xea")); /* 1002 */
	CU_ASSERT_FALSE(live_watched(live));
	finish();
}

static void
text_must_be_utf8(void)
{
	start();
	peer = come();
	hear();
	send_frame(WS_FIN | WS_TEXT, "\"\xff\"", 3);
	turn();
	CU_ASSERT_TRUE(told("\x03\xef")); /* 1007 */
	finish();
}

static void
the_newest_connection_wins(void)
{
	int old;

	start();
	old = come();
	peer = old;
	hear();
	peer = come();
	CU_ASSERT_TRUE(live_watched(live));
	say("{\"type\":\"stop\"}");
	CU_ASSERT_TRUE(called("watch 1 10 60;watch 0 0 0;watch 1 10 60;stop;"));
	close(peer);
	peer = old;
	buf_clear(&heard);
	CU_ASSERT_FALSE(hear());
	CU_ASSERT_TRUE(has(&heard, "{\"type\":\"bye\",\"reason\":\"displaced\"}"));
	CU_ASSERT_TRUE(told("\x03\xf5")); /* 1013 */
	finish();
}

static void
the_end_says_bye(void)
{
	start();
	peer = come();
	hear();
	live_end(live, "expired", WS_NORMAL);
	turn();
	CU_ASSERT_EQUAL(ended, 0);
	hear();
	CU_ASSERT_TRUE(has(&heard, "{\"type\":\"bye\",\"reason\":\"expired\"}"));
	CU_ASSERT_TRUE(told("\x03\xe8"
			    "expired"));
	send_frame(WS_FIN | WS_CLOSE, "\x03\xe8", 2);
	turn();
	CU_ASSERT_EQUAL(ended, 1);
	CU_ASSERT_NOT_EQUAL(access(path, F_OK), 0);
	finish();
}

static void
the_end_needs_no_viewer(void)
{
	start();
	peer = -1;
	live_end(live, "failed", WS_NORMAL);
	CU_ASSERT_EQUAL(ended, 1);
	finish();
}

static void
a_viewer_that_does_not_close_is_not_waited_for(void)
{
	int64_t until = mono_us() + 120000000;

	start();
	peer = come();
	live_end(live, "failed", WS_NORMAL);
	while (ended == 0 && mono_us() < until)
		event_base_loop(base, EVLOOP_ONCE);
	CU_ASSERT_EQUAL(ended, 1);
	finish();
}

/* ---- frames ---- */

static void
frame(int64_t token, size_t n)
{
	char *bytes = malloc(n);

	memset(bytes, 'a' + (int)(token % 26), n);
	live_frame(live, &(struct live_frame){ .token = token,
			     .tab = 2,
			     .jpeg = { bytes, n },
			     .width = 800,
			     .height = 600,
			     .scroll_y = 70000,
			     .at = { 5 } });
	free(bytes);
	turn();
}

/* Turns until the calls hold what. */
static bool
soon(const char *what)
{
	int64_t until = mono_us() + 120000000;

	while (!has(&calls, what) && mono_us() < until) {
		hear();
		event_base_loop(base, EVLOOP_ONCE);
	}
	return has(&calls, what);
}

static void
a_frame_has_its_header(void)
{
	static const char head[] =
	    "\x01\x01\x00\x02\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x05"
	    "\x03\x20\x02\x58\x00\x00\xff\xff\x00\x00\x00\x03\x00\x00\x00\x00"
	    "bbb";

	start();
	peer = come();
	hear();
	buf_clear(&heard);
	frame(1, 3);
	hear();
	CU_ASSERT_EQUAL_FATAL(heard.n, 2 + 35);
	CU_ASSERT_EQUAL(memcmp(heard.p, "\x82\x23", 2), 0);
	CU_ASSERT_EQUAL(memcmp(heard.p + 2, head, 35), 0);
	finish();
}

static void
without_a_viewer_frames_are_dropped(void)
{
	start();
	peer = -1;
	frame(4, 100);
	CU_ASSERT_TRUE(called("taken 4;"));
	finish();
}

static void
the_newest_frame_alone_waits(void)
{
	start();
	peer = come();
	buf_clear(&calls);
	frame(1, 100); /* sent at once */
	frame(2, 100);
	CU_ASSERT_EQUAL(calls.n, 0);
	frame(3, 100);
	CU_ASSERT_TRUE(has(&calls, "taken 2;"));
	CU_ASSERT_TRUE(soon("taken 1;"));
	CU_ASSERT_TRUE(soon("taken 3;"));
	hear();
	CU_ASSERT_TRUE(has(&heard, "bbbb"));
	CU_ASSERT_FALSE(has(&heard, "cccc"));
	CU_ASSERT_TRUE(has(&heard, "dddd"));
	finish();
}

/* A viewer that reads nothing gets one big frame, and the next when it has read. */
static void
a_slow_viewer_holds_frames_back(void)
{
	struct timeval long_enough = { 0, 400000 };

	start();
	peer = come();
	say("{\"type\":\"quality\",\"fps\":60}");
	buf_clear(&calls);
	frame(1, 1000000);
	frame(2, 1000);
	event_base_loopexit(base, &long_enough);
	event_base_dispatch(base);
	CU_ASSERT_EQUAL(calls.n, 0);
	CU_ASSERT_TRUE(soon("taken 1;"));
	finish();
}

/* One that acknowledges is held to it, however much its socket takes. */
static void
acknowledgements_open_the_way(void)
{
	struct timeval long_enough = { 0, 400000 };

	start();
	peer = come();
	say("{\"type\":\"quality\",\"fps\":60}");
	frame(1, 1000);
	say("{\"type\":\"ack\",\"frame\":1}");
	CU_ASSERT_TRUE(soon("taken 1;"));
	buf_clear(&calls);
	frame(2, 300000);
	frame(3, 1000);
	event_base_loopexit(base, &long_enough);
	for (int i = 0; i < 50; i++) {
		hear();
		event_base_loop(base, EVLOOP_ONCE);
		if (event_base_got_exit(base))
			break;
	}
	CU_ASSERT_EQUAL(calls.n, 0);
	say("{\"type\":\"ack\",\"frame\":99}"); /* none that was sent */
	CU_ASSERT_EQUAL(live->picture.acked, 1);
	say("{\"type\":\"ack\",\"frame\":2}");
	CU_ASSERT_TRUE(soon("taken 3;"));
	CU_ASSERT_TRUE(live->picture.unacked < 2000);
	finish();
}

static void
a_frame_above_the_limit_is_not_sent(void)
{
	start();
	peer = come();
	frame(1, LIM_STREAM_FRAME - STREAM_FRAME_HEADER + 1);
	CU_ASSERT_TRUE(called("taken 1;"));
	frame(2, LIM_STREAM_FRAME - STREAM_FRAME_HEADER);
	CU_ASSERT_EQUAL(calls.n, 0);
	finish();
}

static void
a_queue_that_is_never_read_ends_it(void)
{
	static char big[4096];
	int64_t until = mono_us() + 120000000;

	memset(big, 'x', sizeof(big));
	start();
	peer = come();
	for (int i = 0; i < 5000; i++)
		live_dialog_open(live, &(struct stream_dialog_open){ .tab = 1,
					   .kind = STR("alert"),
					   .message = { big, sizeof(big) },
					   .open = true });
	while (live_watched(live) && mono_us() < until)
		turn();
	CU_ASSERT_FALSE(live_watched(live));
	finish();
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "a new viewer gets the state of the session", a_viewer_hears_what_it_must_know },
		{ "a viewer that connects late gets the past of the session",
		    a_late_viewer_gets_the_past },
		{ "the past is limited and screenshots outlast requests", the_past_is_bounded },
		{ "texts of the page are cut at their limit", texts_of_a_page_are_cut },
		{ "every message of a viewer is understood", every_message_is_understood },
		{ "faults of messages are named by their codes", faults_are_named },
		{ "messages above the size limit are refused", sizes_are_bounded },
		{ "messages above the rate limit are refused", rates_are_bounded },
		{ "fragments and control frames are handled", fragments_and_control_frames },
		{ "a close frame is answered with one", a_close_is_answered },
		{ "a breach of the protocol ends the connection",
		    a_breach_of_the_protocol_ends_it },
		{ "text that is not UTF-8 ends the connection", text_must_be_utf8 },
		{ "the newest connection replaces the older one", the_newest_connection_wins },
		{ "the viewer gets bye at the end", the_end_says_bye },
		{ "the session ends without a viewer", the_end_needs_no_viewer },
		{ "the end does not wait for a viewer that stays",
		    a_viewer_that_does_not_close_is_not_waited_for },
		{ "a frame has its header", a_frame_has_its_header },
		{ "frames are dropped without a viewer", without_a_viewer_frames_are_dropped },
		{ "only the newest frame waits", the_newest_frame_alone_waits },
		{ "a slow viewer delays further frames", a_slow_viewer_holds_frames_back },
		{ "an acknowledgement allows the next frame", acknowledgements_open_the_way },
		{ "a frame above the limit is not sent", a_frame_above_the_limit_is_not_sent },
		{ "a queue that is never read ends the connection",
		    a_queue_that_is_never_read_ends_it },
		CU_TEST_INFO_NULL,
	};

	signal(SIGPIPE, SIG_IGN);
	return tap_main(tests);
}
