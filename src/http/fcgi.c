/* SPDX-License-Identifier: ISC */
/* The loop of a worker, and the only user of libfcgi. All workers of a pool accept from one non-blocking socket,
   each connection carries one request, and signals are delivered only while the worker waits, so that no
   handler is interrupted. libfcgi would accept by itself and read without a time-out; accept_request works
   around both. */
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

/* The rest of a body is read before the answer is sent: a web server that still writes into a socket when it is
   closed takes the answer for a failure. A longer rest is not worth the worker's time. */
enum { DRAIN_MAX = 16 * 1024 * 1024 };

/* The time-out of a read. The web server buffers a request before it sends it, so the bytes are there at once; a
   peer that stops within a record must not hold the worker. */
enum { READ_SECONDS = 5 };

static size_t
read_body(void *arg, char *to, size_t n)
{
	FCGX_Request *fcgi = arg;
	int got = FCGX_GetStr(to, n > INT32_MAX ? INT32_MAX : (int)n, fcgi->in);

	return got > 0 ? (size_t)got : 0;
}

static void
drain_body(FCGX_Request *fcgi)
{
	char sink[16384];

	for (size_t n = 0, got; n < DRAIN_MAX; n += got)
		if ((got = read_body(fcgi, sink, sizeof(sink))) == 0)
			return;
}

/* Returns header and body in one buffer, so that the usual answer is one write. */
static struct str
format_answer(const struct req *rq)
{
	struct buf b = { .a = rq->arena };

	/* nginx copies some headers of this answer to the client, beside those of the worker that answers. */
	if (rq->handed_to != NULL) {
		buf_printf(&b, "Status: 200 OK\r\nX-Accel-Redirect: %s\r\n\r\n", rq->handed_to);
		return buf_done(&b);
	}
	buf_printf(&b, "Status: %d %s\r\nX-Request-Id: %s\r\n", rq->status,
	    status_reason(rq->status), rq->id);
	if (rq->status != 304) /* a 304 has no body to describe */
		buf_printf(
		    &b, "Content-Type: %s\r\nContent-Length: %zu\r\n", rq->content_type, rq->out.n);
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
	if (rq->etag != NULL)
		buf_printf(&b, "ETag: \"%s\"\r\nX-Content-Type-Options: nosniff\r\n", rq->etag);
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
	struct str all = format_answer(rq);

	drain_body(fcgi);
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

/* nginx closes its connection when the client leaves. */
static bool
client_gone(void *arg)
{
	const FCGX_Request *fcgi = arg;
	struct pollfd p = { .fd = fcgi->ipcFd, .events = POLLRDHUP };

	return poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

static void
serve_request(struct worker *w, FCGX_Request *fcgi)
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

/* Accepts a connection and reads the parameters of its request. False: there is no connection, or the parameters
   did not come in time. FCGX_Accept_r alone would accept and read before a time-out can be set. When ipcFd holds
   a connection and keepConnection is set, FCGX_Accept_r expects the next request of that connection there, and
   only reads. */
static bool
accept_request(FCGX_Request *fcgi, int listener)
{
	const struct timeval time = { .tv_sec = READ_SECONDS };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	/* Every waiting worker wakes up for a connection, and one of them gets it. */
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

	if (FCGX_Init() != 0 || FCGX_InitRequest(&fcgi, -1, FCGI_FAIL_ACCEPT_ON_INTR) != 0)
		panic("libfcgi cannot be initialised");
	for (int64_t n = 0; n < conf.worker_requests && daemon_wait(listener, -1);) {
		slot->busy_since = mono_us();
		if (w->refresh != NULL)
			w->refresh(w);
		if (accept_request(&fcgi, listener)) {
			serve_request(w, &fcgi);
			FCGX_Finish_r(&fcgi);
			if (fcgi.ipcFd >= 0) /* the peer asked to keep the connection */
				FCGX_Free(&fcgi, 1);
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
