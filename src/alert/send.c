/* SPDX-License-Identifier: ISC */
/* Sends webhooks with libcurl, any number at once, driven by the event loop.
 *
 * The URL comes from a customer, so a webhook could be aimed at this network (SSRF). Three checks
 * must all pass: the form of the URL and its port (webhook_url_fault), every address of the name
 * (resolve.c; libcurl gets exactly these addresses and does not resolve again, so a second DNS
 * answer cannot differ), and the address that libcurl is about to connect to (open_public_socket).
 * Redirects are not followed, no proxy is used, and a connection serves one request only.
 *
 *   sender_send -> resolve_public -> on_receiver_resolved -> libcurl -> collect_finished
 *        |                                   |                                 |
 *        +-- refused URL --> fail_attempt <--+-- unknown or private name       v
 *                                  +--------------------------------------> finish_attempt
 *
 * A receiver cannot hold an attempt beyond its deadline or make this process store its answer: head
 * and body are counted, not kept, and cut off at ANSWER_MAX. */
#include "config.h"

#include <curl/curl.h>

#include "address/netaddr.h"
#include "address/webhook.h"
#include "alert/alert.h"
#include "daemon/conf.h"

#include <arpa/inet.h>
#include <unistd.h>

enum {
	ANSWER_MAX = 64 * 1024, /* bytes of an answer's head, and of its body */
	FAILURE_MAX = 300,
};

struct sender {
	struct event_base *base;
	CURLM *multi;
	struct event *timer;
	size_t busy;
	void (*done)(void *arg, struct attempt *t);
	void *arg;
};

size_t
sender_busy(const struct sender *s)
{
	return s->busy;
}

/* ---- the end of an attempt ---- */

/* Replaces all but printable ASCII, so that the text can be logged and stored. */
static struct str
printable_ascii(struct arena *a, const char *text)
{
	struct str s = arena_printf(a, "%.*s", FAILURE_MAX, text);
	char *out = arena_alloc(a, s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		out[i] = (char)(s.p[i] >= ' ' && s.p[i] <= '~' ? s.p[i] : '?');
	return (struct str){ out, s.n };
}

static void
finish_attempt(struct attempt *t)
{
	struct sender *sender = t->sender;

	curl_slist_free_all(t->headers);
	curl_slist_free_all(t->addresses);
	curl_free(t->host);
	curl_free(t->port);
	t->headers = t->addresses = NULL;
	t->host = t->port = NULL;
	sender->busy--;
	sender->done(sender->arg, t);
}

static void
fail_attempt(struct attempt *t, const char *why)
{
	t->verdict = VERDICT_RETRY;
	t->failure = printable_ascii(t->arena, why);
	finish_attempt(t);
}

/* The class of a failure without an answer. libcurl's own message would let a client scan the ports
   of other people's hosts through this service; it goes to the log, for the administrator. */
static const char *
failure_class(const struct attempt *t, CURLcode rc)
{
	curl_off_t secured = 0;

	curl_easy_getinfo(t->easy, CURLINFO_APPCONNECT_TIME_T, &secured);
	if (t->refused)
		return "the name has an address that is not public";
	if (rc == CURLE_PEER_FAILED_VERIFICATION)
		return "the receiver's certificate could not be verified";
	if (secured == 0)
		return "no secure connection to the receiver could be made";
	if (rc == CURLE_OPERATION_TIMEDOUT)
		return "the receiver did not answer in time";
	return "the receiver gave no valid answer";
}

/* The status alone decides: once it has arrived, a body that is cut off or too long changes
   nothing. */
static void
judge_answer(struct attempt *t, CURLcode rc)
{
	curl_off_t wait = 0;
	long status = 0;

	curl_easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(t->easy, CURLINFO_RETRY_AFTER, &wait);
	t->retry_after = wait > 0 ? wait : 0;
	t->status = status >= 200 && status <= 599 ? status : 0;
	t->verdict = status >= 200 && status <= 299 ? VERDICT_DELIVERED
		     : status == 410                ? VERDICT_GONE
						    : VERDICT_RETRY;
	if (t->verdict == VERDICT_DELIVERED)
		t->failure = STR_NULL;
	else if (status >= 200)
		t->failure = arena_printf(t->arena, "the receiver answered %ld%s", status,
		    status < 400    ? "; redirects are not followed"
		    : status == 410 ? ": the destination is disabled"
				    : "");
	else
		t->failure = str_of(failure_class(t, rc));
	if (rc != CURLE_OK)
		t->detail = printable_ascii(
		    t->arena, t->error[0] != '\0' ? t->error : curl_easy_strerror(rc));
}

static void
collect_finished(struct sender *sender)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(sender->multi, &left)) != NULL) {
		CURLcode rc = m->data.result;
		struct attempt *t;
		char *own;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &own);
		t = (struct attempt *)(void *)own;
		judge_answer(t, rc);
		curl_multi_remove_handle(sender->multi, t->easy);
		curl_easy_cleanup(t->easy);
		t->easy = NULL;
		finish_attempt(t);
	}
}

/* ---- libcurl on the loop ---- */

static void
on_curl_socket(int fd, short what, void *arg)
{
	struct sender *sender = arg;
	int running, mask = (what & EV_READ ? CURL_CSELECT_IN : 0) |
			    (what & EV_WRITE ? CURL_CSELECT_OUT : 0);

	curl_multi_socket_action(sender->multi, fd, mask, &running);
	collect_finished(sender);
}

static void
on_curl_timer(int fd, short what, void *arg)
{
	struct sender *sender = arg;
	int running;

	(void)fd;
	(void)what;
	curl_multi_socket_action(sender->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	collect_finished(sender);
}

static int
watch_curl_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
{
	struct sender *sender = arg;
	struct event *event = known;
	short wanted = EV_PERSIST;

	(void)easy;
	if (event != NULL)
		event_free(event);
	if (what == CURL_POLL_REMOVE) {
		curl_multi_assign(sender->multi, fd, NULL);
		return 0;
	}
	wanted = (short)(wanted | (what & CURL_POLL_IN ? EV_READ : 0) |
			 (what & CURL_POLL_OUT ? EV_WRITE : 0));
	event = event_new(sender->base, fd, wanted, on_curl_socket, sender);
	if (event == NULL || event_add(event, NULL) != 0)
		panic("event_add failed for the socket of a webhook");
	curl_multi_assign(sender->multi, fd, event);
	return 0;
}

static int
set_curl_timer(CURLM *multi, long ms, void *arg)
{
	const struct timeval in = ev_ms(ms);
	struct sender *sender = arg;

	(void)multi;
	if (ms < 0)
		event_del(sender->timer);
	else
		event_add(sender->timer, &in);
	return 0;
}

/* ---- an attempt ---- */

/* The final check: libcurl cannot connect without a socket from here, wherever it has the address
   from. */
static curl_socket_t
open_public_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *to)
{
	const struct sockaddr_in *v4 = (const void *)&to->addr;
	const struct sockaddr_in6 *v6 = (const void *)&to->addr;
	struct attempt *t = arg;
	bool good =
	    to->family == AF_INET
		? netaddr_public4((const unsigned char *)&v4->sin_addr)
		: to->family == AF_INET6 && netaddr_public6((const unsigned char *)&v6->sin6_addr);

	(void)purpose;
	if (good)
		return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
	t->refused = true;
	return CURL_SOCKET_BAD;
}

/* Bounds heads without an end, and endless 1xx answers. libcurl bounds a single line itself,
   reporting a lack of memory, and has already parsed the lines that matter. */
static size_t
count_head(char *bytes, size_t size, size_t n, void *arg)
{
	struct attempt *t = arg;

	(void)bytes;
	t->head_n += size * n;
	return t->head_n <= ANSWER_MAX ? size * n : 0;
}

/* Discards the body; an endless one is cut off. */
static size_t
count_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct attempt *t = arg;

	(void)bytes;
	t->body_n += size * n;
	return t->body_n <= ANSWER_MAX ? size * n : 0;
}

static void
append_line(void *list, struct str line)
{
	struct curl_slist **to = list, *longer = curl_slist_append(*to, line.p);

	if (longer == NULL)
		panic("out of memory");
	*to = longer;
}

/* The headers of Standard Webhooks. False: the stored secret has not the form of
   webhook_secret_make. */
static bool
set_webhook_headers(struct attempt *t)
{
	struct webhook w = { .id = arena_uuid(t->arena, &t->uuid),
		.secret = t->secret,
		.body = t->payload,
		.at = ts_now().us / SECOND_US };
	struct curl_slist *lines = NULL;
	struct str signature;

	signature = webhook_sign(t->arena, &w);
	if (signature.p == NULL)
		return false;
	append_line(&lines, STR("Content-Type: application/json"));
	append_line(&lines, STR("Expect:"));
	append_line(&lines, arena_printf(t->arena, "webhook-id: %s", w.id.p));
	append_line(&lines, arena_printf(t->arena, "webhook-timestamp: %lld", (long long)w.at));
	append_line(&lines,
	    arena_printf(t->arena, "webhook-signature: %.*s", (int)signature.n, signature.p));
	t->headers = lines;
	return true;
}

/* Pins the addresses for this attempt: "+host:port:address,address" of CURLOPT_RESOLVE, where the +
   makes the entry expire from libcurl's cache. */
static void
pin_addresses(struct attempt *t, const struct addresses *r)
{
	struct buf b = { .a = t->arena };
	struct curl_slist *lines = NULL;

	if (t->host[0] == '[') /* an IPv6 address needs no look-up */
		return;
	buf_printf(&b, "+%s:%s:", t->host, t->port);
	for (size_t i = 0; i < r->n; i++)
		buf_printf(&b, strchr(r->address[i], ':') != NULL ? "%s[%s]" : "%s%s",
		    i > 0 ? "," : "", r->address[i]);
	buf_char(&b, '\0');
	append_line(&lines, buf_done(&b));
	t->addresses = lines;
}

/* An option that libcurl refuses is a bug of this program. */
static void
set_transfer_options(struct attempt *t, int64_t ms)
{
	CURL *c = t->easy;
	CURLcode bad = CURLE_OK;

#define SET(option, value) (bad = bad != CURLE_OK ? bad : curl_easy_setopt(c, (option), (value)))
	SET(CURLOPT_PRIVATE, (void *)t);
	SET(CURLOPT_URL, t->url.p);
	SET(CURLOPT_PROTOCOLS_STR, "https");
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_RESOLVE, (struct curl_slist *)t->addresses);
	SET(CURLOPT_OPENSOCKETFUNCTION, open_public_socket);
	SET(CURLOPT_OPENSOCKETDATA, (void *)t);
	SET(CURLOPT_FRESH_CONNECT, 1L);
	SET(CURLOPT_FORBID_REUSE, 1L);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_TIMEOUT_MS, (long)ms);
	SET(CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	SET(CURLOPT_HTTPHEADER, (struct curl_slist *)t->headers);
	SET(CURLOPT_POST, 1L);
	SET(CURLOPT_POSTFIELDS, t->payload.p);
	SET(CURLOPT_POSTFIELDSIZE, (long)t->payload.n);
	SET(CURLOPT_HEADERFUNCTION, count_head);
	SET(CURLOPT_HEADERDATA, (void *)t);
	SET(CURLOPT_WRITEFUNCTION, count_body);
	SET(CURLOPT_WRITEDATA, (void *)t);
	SET(CURLOPT_ERRORBUFFER, t->error);
	if (conf.webhook_ca_file[0] != '\0')
		SET(CURLOPT_CAINFO, conf.webhook_ca_file);
#undef SET
	if (bad != CURLE_OK)
		panic("curl_easy_setopt failed: %s", curl_easy_strerror(bad));
}

static void
on_receiver_resolved(void *arg, const struct addresses *r)
{
	struct attempt *t = arg;
	int64_t left = (t->deadline - mono_us()) / 1000;

	if (r->fault != NULL) {
		fail_attempt(t, r->fault);
		return;
	}
	if (!set_webhook_headers(t)) {
		fail_attempt(t, "the destination's secret cannot be read");
		return;
	}
	pin_addresses(t, r);
	t->easy = curl_easy_init();
	if (t->easy == NULL)
		panic("out of memory");
	set_transfer_options(t, left > 1 ? left : 1);
	if (curl_multi_add_handle(t->sender->multi, t->easy) != CURLM_OK)
		panic("curl_multi_add_handle failed");
}

/* Splits the URL with libcurl's parser, so that the host that is resolved is the one that libcurl
   connects to. */
static bool
parse_url(struct attempt *t)
{
	CURLU *u = curl_url();
	bool good = u != NULL && curl_url_set(u, CURLUPART_URL, t->url.p, 0) == CURLUE_OK &&
		    curl_url_get(u, CURLUPART_HOST, &t->host, 0) == CURLUE_OK &&
		    curl_url_get(u, CURLUPART_PORT, &t->port, CURLU_DEFAULT_PORT) == CURLUE_OK;

	curl_url_cleanup(u);
	return good;
}

void
sender_send(struct sender *sender, struct attempt *t)
{
	struct str host;

	t->sender = sender;
	t->deadline = mono_us() + conf.webhook_timeout * 1000;
	sender->busy++;
	if (webhook_url_fault(t->url, conf.webhook_ports) != NULL || !parse_url(t)) {
		fail_attempt(t, "the destination's URL is not one that webhooks are sent to");
		return;
	}
	host = str_of(t->host);
	if (host.p[0] == '[')
		host = (struct str){ host.p + 1, host.n - 2 };
	resolve_public(
	    sender->base, arena_str(t->arena, host).p, t->deadline, on_receiver_resolved, t);
}

struct sender *
sender_new(struct event_base *base, void (*done)(void *arg, struct attempt *t), void *arg)
{
	struct sender *s = mem_zero(sizeof(*s));

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		panic("curl_global_init failed");
	s->base = base;
	s->done = done;
	s->arg = arg;
	s->multi = curl_multi_init();
	s->timer = event_new(base, -1, 0, on_curl_timer, s);
	if (s->multi == NULL || s->timer == NULL)
		panic("no memory for libcurl's multi handle or its timer");
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETFUNCTION, watch_curl_socket);
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETDATA, s);
	curl_multi_setopt(s->multi, CURLMOPT_TIMERFUNCTION, set_curl_timer);
	curl_multi_setopt(s->multi, CURLMOPT_TIMERDATA, s);
	return s;
}

void
sender_free(struct sender *s)
{
	curl_multi_cleanup(s->multi);
	event_free(s->timer);
	free(s);
	curl_global_cleanup();
}
