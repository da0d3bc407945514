/* SPDX-License-Identifier: ISC */
/* The worker's loop and the only user of libfcgi (PLATFORM.md, "Workers"): one request a connection,
   accepted from a shared non-blocking socket, signals let in only while it waits. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "http/http_priv.h"

#include <errno.h>
#include <fcgiapp.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* What is left of a body is read before the answer ends, so that the web server never writes into a
   closed socket and takes the answer for a failure; more than this is not worth the time. */
enum { DRAIN_MAX = 16 * 1024 * 1024 };

/* How long a read waits for the web server, which buffers a request before it sends it: a peer that stops within
   a record holds the worker no longer. */
enum { READ_SECONDS = 5 };

static size_t
read_body(void *arg, char *to, size_t n)
{
	FCGX_Request *fcgi = arg;
	int got = FCGX_GetStr(to, n > INT32_MAX ? INT32_MAX : (int)n, fcgi->in);

	return got > 0 ? (size_t)got : 0;
}

static void
drain(FCGX_Request *fcgi)
{
	char sink[16384];

	for (size_t n = 0, got; n < DRAIN_MAX; n += got)
		if ((got = read_body(fcgi, sink, sizeof(sink))) == 0)
			return;
}

/* Everything in one buffer: one write for the usual answer. */
static struct str
whole_answer(const struct req *rq)
{
	struct buf b = { .a = rq->arena };

	buf_printf(&b, "Status: %d %s\r\nX-Request-Id: %s\r\n", rq->status,
	    status_reason(rq->status), rq->id);
	if (rq->status != 304) /* which has no body to describe */
		buf_printf(&b, "Content-Type: %s\r\nContent-Length: %zu\r\n",
		    rq->content_type, rq->out.n);
	if (rq->max_age > 0)
		buf_printf(&b, "Cache-Control: public, max-age=%d\r\n", rq->max_age);
	else
		buf_z(&b, "Cache-Control: no-store\r\n");
	if (rq->status == 401)
		buf_z(&b, ERROR_CHALLENGE);
	if (rq->allow != NULL)
		buf_printf(&b, "Allow: %s\r\n", rq->allow);
	if (rq->retry_after > 0)
		buf_printf(&b, "Retry-After: %d\r\n", rq->retry_after);
	if (rq->location != NULL)
		buf_printf(&b, "Location: /api/v1%s\r\n", rq->location);
	if (rq->handed_to != NULL)
		buf_printf(&b, "X-Accel-Redirect: %s\r\n", rq->handed_to);
	if (rq->etag != NULL)
		buf_printf(
		    &b, "ETag: \"%s\"\r\nX-Content-Type-Options: nosniff\r\n", rq->etag);
	if (rq->replayed && rq->status < 400)
		buf_z(&b, "Idempotency-Replayed: true\r\n");
	meter_headers(rq, &b);
	buf_z(&b, "\r\n");
	buf_str(&b, buf_done(&rq->out));
	return buf_done(&b);
}

static void
send_answer(const struct req *rq, FCGX_Request *fcgi)
{
	struct str all = whole_answer(rq);

	drain(fcgi);
	if (rq->worker->meter != NULL)
		meter_answering(rq->worker->meter);
	while (all.n > 0) {
		int want = all.n > 1 << 20 ? 1 << 20 : (int)all.n;
		int sent = FCGX_PutStr(all.p, want, fcgi->out);

		if (sent != want) {
			log_event(LOGP_NOTICE, "unsent", "req=%s", rq->id);
			return;
		}
		all.p += want;
		all.n -= (size_t)want;
	}
}

/* Nobody waits for the answer any more: the work is not begun. */
static bool
client_gone(void *arg)
{
	const FCGX_Request *fcgi = arg;
	struct pollfd p = { .fd = fcgi->ipcFd, .events = POLLRDHUP };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

static void
serve(struct worker *w, FCGX_Request *fcgi)
{
	struct req rq = {
		.worker = w,
		.arena = w->arena,
		.db = w->db,
		.env = (const char *const *)fcgi->envp,
		.read = read_body,
		.gone = client_gone,
		.read_arg = fcgi,
	};

	if (w->accepted != NULL)
		w->accepted(env_get(&rq, "REQUEST_ID"));
	if (client_gone(fcgi)) {
		log_event(LOGP_INFO, "gone", "req=-");
		return;
	}
	req_serve(&rq);
	send_answer(&rq, fcgi);
	if (w->answered != NULL)
		w->answered(&rq);
}

/* Accepts a connection and reads the head of its request. False: there is none, or it is not whole in time.
   FCGX_Accept_r would accept itself, and read before a time-out can be set; it takes a connection that it finds
   in ipcFd and was told to keep for one of an earlier request. */
static bool
accept_request(FCGX_Request *fcgi, int listener)
{
	const struct timeval time = { .tv_sec = READ_SECONDS };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	/* Another worker may have been quicker: then there is nothing to accept. */
	if (fd < 0)
		return false;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) != 0)
		panic("SO_RCVTIMEO: %s", strerror(errno));
	fcgi->ipcFd = fd;
	fcgi->keepConnection = 1;
	return FCGX_Accept_r(fcgi) >= 0;
}

void
http_serve(struct worker *w, int listener)
{
	struct worker_slot *slot = daemon_slot();
	FCGX_Request fcgi;

	if (FCGX_Init() != 0 ||
	    FCGX_InitRequest(&fcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) != 0)
		panic("libfcgi does not start");
	for (int64_t n = 0; n < conf.worker_requests && daemon_wait(listener, -1);) {
		slot->busy_since = mono_us();
		if (w->refresh != NULL)
			w->refresh(w);
		if (accept_request(&fcgi, listener)) {
			serve(w, &fcgi);
			FCGX_Finish_r(&fcgi);
			if (w->meter != NULL)
				meter_answered(w->meter);
			arena_reset(w->arena);
			slot->served++;
			n++;
		}
		slot->searching = 0;
		slot->busy_since = 0;
	}
	FCGX_Free(&fcgi, 1);
}
