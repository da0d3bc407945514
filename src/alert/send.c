/* SPDX-License-Identifier: ISC */
/* Webhooks on the wire: any number at once, each to addresses that were checked, none redirected. */
#include "config.h"

#include <curl/curl.h>

#include "address/netaddr.h"
#include "address/webhook.h"
#include "alert/alert.h"
#include "daemon/conf.h"

#include <arpa/inet.h>
#include <unistd.h>

enum {
	ANSWER_MAX = 64 * 1024, /* of an answer's head, and of its body */
	FAILURE_MAX = 300,
};

struct sender {
	struct event_base *base;
	CURLM *multi;
	struct event *timer;
	size_t busy;
	void (*done)(void *arg, struct sending *s);
	void *arg;
};

size_t
sender_busy(const struct sender *s)
{
	return s->busy;
}

/* ---- the end of an attempt ---- */

/* Without what a terminal, a log or UTF-8 would not take. */
static struct str
plain(struct arena *a, const char *text)
{
	struct str s = arena_printf(a, "%.*s", FAILURE_MAX, text);
	char *out = arena_alloc(a, s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		out[i] = (char)(s.p[i] >= ' ' && s.p[i] <= '~' ? s.p[i] : '?');
	return (struct str){ out, s.n };
}

static void
end(struct sending *s)
{
	struct sender *sender = s->sender;

	curl_slist_free_all(s->headers);
	curl_slist_free_all(s->addresses);
	curl_free(s->host);
	curl_free(s->port);
	s->headers = s->addresses = NULL;
	s->host = s->port = NULL;
	sender->busy--;
	sender->done(sender->arg, s);
}

static void
fail(struct sending *s, const char *why)
{
	s->verdict = VERDICT_RETRY;
	s->failure = plain(s->arena, why);
	end(s);
}

/* The class of a failure without an answer. libcurl's own words would tell a client what listens at a port of
   somebody else's host; they are in the log, for the administrator. */
static const char *
failure_class(const struct sending *s, CURLcode rc)
{
	curl_off_t secured = 0;

	curl_easy_getinfo(s->easy, CURLINFO_APPCONNECT_TIME_T, &secured);
	if (s->refused)
		return "the name has an address that is not public";
	if (rc == CURLE_PEER_FAILED_VERIFICATION)
		return "the receiver's certificate could not be verified";
	if (secured == 0)
		return "no secure connection to the receiver could be made";
	if (rc == CURLE_OPERATION_TIMEDOUT)
		return "the receiver did not answer in time";
	return "the receiver gave no valid answer";
}

/* An answer counts from its status on: what else goes wrong then is the receiver's own affair. */
static void
judge(struct sending *s, CURLcode rc)
{
	curl_off_t wait = 0;
	long status = 0;

	curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &status);
	curl_easy_getinfo(s->easy, CURLINFO_RETRY_AFTER, &wait);
	s->retry_after = wait > 0 ? wait : 0;
	s->status = status >= 200 && status <= 599 ? status : 0;
	s->verdict = status >= 200 && status <= 299 ? VERDICT_DELIVERED
		     : status == 410                ? VERDICT_GONE
						    : VERDICT_RETRY;
	if (s->verdict == VERDICT_DELIVERED)
		s->failure = STR_NULL;
	else if (status >= 200)
		s->failure = arena_printf(s->arena, "the receiver answered %ld%s", status,
		    status < 400    ? "; redirects are not followed"
		    : status == 410 ? ": the destination is disabled"
				    : "");
	else
		s->failure = str_of(failure_class(s, rc));
	if (rc != CURLE_OK)
		s->detail = plain(
		    s->arena, s->error[0] != '\0' ? s->error : curl_easy_strerror(rc));
}

static void
reap(struct sender *sender)
{
	CURLMsg *m;
	int left;

	while ((m = curl_multi_info_read(sender->multi, &left)) != NULL) {
		CURLcode rc = m->data.result;
		struct sending *s;
		char *own;

		if (m->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &own);
		s = (struct sending *)(void *)own;
		judge(s, rc);
		curl_multi_remove_handle(sender->multi, s->easy);
		curl_easy_cleanup(s->easy);
		s->easy = NULL;
		end(s);
	}
}

/* ---- libcurl on the loop ---- */

static void
on_socket(int fd, short what, void *arg)
{
	struct sender *sender = arg;
	int running, mask = (what & EV_READ ? CURL_CSELECT_IN : 0) |
			    (what & EV_WRITE ? CURL_CSELECT_OUT : 0);

	curl_multi_socket_action(sender->multi, fd, mask, &running);
	reap(sender);
}

static void
on_timer(int fd, short what, void *arg)
{
	struct sender *sender = arg;
	int running;

	(void)fd;
	(void)what;
	curl_multi_socket_action(sender->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	reap(sender);
}

static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *known)
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
	event = event_new(sender->base, fd, wanted, on_socket, sender);
	if (event == NULL || event_add(event, NULL) != 0)
		panic("event loop: a webhook's socket");
	curl_multi_assign(sender->multi, fd, event);
	return 0;
}

static int
set_timer(CURLM *multi, long ms, void *arg)
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

/* The last word on where a connection goes, whatever was resolved, by whom. */
static curl_socket_t
open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *to)
{
	const struct sockaddr_in *v4 = (const void *)&to->addr;
	const struct sockaddr_in6 *v6 = (const void *)&to->addr;
	struct sending *s = arg;
	bool good = to->family == AF_INET
			? netaddr_public4((const unsigned char *)&v4->sin_addr)
			: to->family == AF_INET6 &&
			      netaddr_public6((const unsigned char *)&v6->sin6_addr);

	(void)purpose;
	if (good)
		return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
	s->refused = true;
	return CURL_SOCKET_BAD;
}

/* Heads without an end, or any number of 1xx before one; a line has libcurl's own bound, which it takes for a
   lack of memory. What of it matters libcurl has read. */
static size_t
take_head(char *bytes, size_t size, size_t n, void *arg)
{
	struct sending *s = arg;

	(void)bytes;
	s->head += size * n;
	return s->head <= ANSWER_MAX ? size * n : 0;
}

/* Not read; one without an end is cut off. */
static size_t
take_answer(char *bytes, size_t size, size_t n, void *arg)
{
	struct sending *s = arg;

	(void)bytes;
	s->answered += size * n;
	return s->answered <= ANSWER_MAX ? size * n : 0;
}

static void
add(void *list, struct str line)
{
	struct curl_slist **to = list, *longer = curl_slist_append(*to, line.p);

	if (longer == NULL)
		panic("out of memory");
	*to = longer;
}

/* False: the secret is none of ours. */
static bool
write_headers(struct sending *s)
{
	struct webhook w = { .id = arena_uuid(s->arena, &s->uuid),
		.secret = s->secret,
		.body = s->payload,
		.at = ts_now().us / SECOND_US };
	struct curl_slist *lines = NULL;
	struct str signature;

	signature = webhook_sign(s->arena, &w);
	if (signature.p == NULL)
		return false;
	add(&lines, STR("Content-Type: application/json"));
	add(&lines, STR("Expect:"));
	add(&lines, arena_printf(s->arena, "webhook-id: %s", w.id.p));
	add(&lines, arena_printf(s->arena, "webhook-timestamp: %lld", (long long)w.at));
	add(&lines, arena_printf(s->arena, "webhook-signature: %.*s", (int)signature.n,
			signature.p));
	s->headers = lines;
	return true;
}

/* "+host:port:address,address": what this attempt connects to; a while, and not for ever. */
static void
write_addresses(struct sending *s, const struct resolved *r)
{
	struct buf b = { .a = s->arena };
	struct curl_slist *lines = NULL;

	if (s->host[0] == '[') /* an address is its own */
		return;
	buf_printf(&b, "+%s:%s:", s->host, s->port);
	for (size_t i = 0; i < r->n; i++)
		buf_printf(&b, strchr(r->address[i], ':') != NULL ? "%s[%s]" : "%s%s",
		    i > 0 ? "," : "", r->address[i]);
	buf_char(&b, '\0');
	add(&lines, buf_done(&b));
	s->addresses = lines;
}

/* All that an attempt may do; any refusal of an option is our bug. */
static void
set_options(struct sending *s, int64_t ms)
{
	CURL *c = s->easy;
	CURLcode bad = CURLE_OK;

#define SET(option, value)                                                               \
	(bad = bad != CURLE_OK ? bad : curl_easy_setopt(c, (option), (value)))
	SET(CURLOPT_PRIVATE, (void *)s);
	SET(CURLOPT_URL, s->url.p);
	SET(CURLOPT_PROTOCOLS_STR, "https");
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_RESOLVE, (struct curl_slist *)s->addresses);
	SET(CURLOPT_OPENSOCKETFUNCTION, open_socket);
	SET(CURLOPT_OPENSOCKETDATA, (void *)s);
	SET(CURLOPT_FRESH_CONNECT, 1L);
	SET(CURLOPT_FORBID_REUSE, 1L);
	SET(CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_TIMEOUT_MS, (long)ms);
	SET(CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	SET(CURLOPT_HTTPHEADER, (struct curl_slist *)s->headers);
	SET(CURLOPT_POST, 1L);
	SET(CURLOPT_POSTFIELDS, s->payload.p);
	SET(CURLOPT_POSTFIELDSIZE, (long)s->payload.n);
	SET(CURLOPT_HEADERFUNCTION, take_head);
	SET(CURLOPT_HEADERDATA, (void *)s);
	SET(CURLOPT_WRITEFUNCTION, take_answer);
	SET(CURLOPT_WRITEDATA, (void *)s);
	SET(CURLOPT_ERRORBUFFER, s->error);
	if (conf.webhook_ca_file[0] != '\0')
		SET(CURLOPT_CAINFO, conf.webhook_ca_file);
#undef SET
	if (bad != CURLE_OK)
		panic("libcurl: %s", curl_easy_strerror(bad));
}

static void
on_resolved(void *arg, const struct resolved *r)
{
	struct sending *s = arg;
	int64_t left = (s->deadline - mono_us()) / 1000;

	if (r->fault != NULL) {
		fail(s, r->fault);
		return;
	}
	if (!write_headers(s)) {
		fail(s, "the destination's secret cannot be read");
		return;
	}
	write_addresses(s, r);
	s->easy = curl_easy_init();
	if (s->easy == NULL)
		panic("out of memory");
	set_options(s, left > 1 ? left : 1);
	if (curl_multi_add_handle(s->sender->multi, s->easy) != CURLM_OK)
		panic("libcurl takes no transfer");
}

/* Host and port as libcurl itself reads them. */
static bool
read_url(struct sending *s)
{
	CURLU *u = curl_url();
	bool good =
	    u != NULL && curl_url_set(u, CURLUPART_URL, s->url.p, 0) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_HOST, &s->host, 0) == CURLUE_OK &&
	    curl_url_get(u, CURLUPART_PORT, &s->port, CURLU_DEFAULT_PORT) == CURLUE_OK;

	curl_url_cleanup(u);
	return good;
}

void
sender_send(struct sender *sender, struct sending *s)
{
	struct str host;

	s->sender = sender;
	s->deadline = mono_us() + conf.webhook_timeout * 1000;
	sender->busy++;
	if (webhook_url_fault(s->url, conf.webhook_ports) != NULL || !read_url(s)) {
		fail(s, "the destination's URL is not one that webhooks are sent to");
		return;
	}
	host = str_of(s->host);
	if (host.p[0] == '[')
		host = (struct str){ host.p + 1, host.n - 2 };
	resolve(sender->base, arena_str(s->arena, host).p, s->deadline, on_resolved, s);
}

struct sender *
sender_new(struct event_base *base, void (*done)(void *arg, struct sending *s), void *arg)
{
	struct sender *s = mem_zero(sizeof(*s));

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		panic("libcurl");
	s->base = base;
	s->done = done;
	s->arg = arg;
	s->multi = curl_multi_init();
	s->timer = event_new(base, -1, 0, on_timer, s);
	if (s->multi == NULL || s->timer == NULL)
		panic("libcurl");
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETDATA, s);
	curl_multi_setopt(s->multi, CURLMOPT_TIMERFUNCTION, set_timer);
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
