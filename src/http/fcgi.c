/* SPDX-License-Identifier: ISC */
/* The loop of a worker, and the only user of libfcgi. All workers of a pool accept from one
   non-blocking socket, each connection carries one request, and no signal is delivered while a
   request is read, because libfcgi takes an interrupted read for the end of the body (daemon.h has
   the two signals of a worker).

   libfcgi parses the requests, and does nothing else here: it would accept by itself, read without
   a time-out, write an answer in pieces of 8 kB, and then keep the worker waiting until the web
   server has closed its end of the connection. accept_request works around the first two.
   send_answer writes the records of an answer itself:

     header | head of the answer     header | 65,528 bytes of the body     header | header | end
     STDOUT                          STDOUT   ... the next, and so on      STDOUT   END_REQUEST
                                                                           (empty)

   All of these are one writev(2), straight from the buffers that the head and the body were built
   in, and the connection is closed at once. */
#include "config.h"

#include "daemon/conf.h"
#include "daemon/daemon.h"
#include "http/http_priv.h"

#include <errno.h>
#include <fastcgi.h>
#include <fcgiapp.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* The rest of a body is read before the answer is sent: a web server that still writes into a
   socket when it is closed takes the answer for a failure. A longer rest is not worth the worker's
   time. */
enum { DRAIN_MAX = 16 * 1024 * 1024 };

/* The time-out of a read. The web server buffers a request before it sends it, so the bytes are
   there at once; a peer that stops within a record must not hold the worker. */
enum { READ_SECONDS = 5 };

static size_t
read_input(const FCGX_Request *fcgi, char *to, size_t n)
{
	int got = FCGX_GetStr(to, n > INT32_MAX ? INT32_MAX : (int)n, fcgi->in);

	return got > 0 ? (size_t)got : 0;
}

static size_t
read_body(void *arg, char *to, size_t n)
{
	size_t got;

	daemon_defer_orphan();
	got = read_input(arg, to, n);
	daemon_admit_orphan();
	return got;
}

static void
drain_body(const FCGX_Request *fcgi)
{
	char sink[16384];
	size_t n = 0, got;

	daemon_defer_orphan();
	do
		n += got = read_input(fcgi, sink, sizeof(sink));
	while (got > 0 && n < DRAIN_MAX);
	daemon_admit_orphan();
}

static struct str
format_head(const struct req *rq)
{
	struct buf b = { .a = rq->arena };

	/* nginx copies some headers of this answer to the client, beside those of the worker that
	   answers. */
	if (rq->handed_to != NULL) {
		buf_printf(&b, "Status: 200 OK\r\nX-Accel-Redirect: %s\r\n\r\n", rq->handed_to);
		return buf_done(&b);
	}
	buf_printf(&b, "Status: %d %s\r\nX-Request-Id: %s\r\n", rq->status,
	    status_reason(rq->status), rq->id);
	if (rq->file != NULL)
		buf_printf(&b,
		    "X-Accel-Redirect: %s\r\nContent-Type: %s\r\n"
		    "Content-Disposition: attachment; filename=\"%s\"\r\n",
		    rq->file->location, rq->content_type, rq->file->name);
	else if (rq->status != 304) /* a 304 has no body to describe */
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
		buf_printf(&b, "ETag: \"%s\"\r\n", rq->etag);
	if (rq->set_cookie != NULL)
		buf_printf(&b, "Set-Cookie: %s\r\n", rq->set_cookie);
	buf_z(&b, ANSWER_POLICY);
	if (rq->replayed && rq->status < 400)
		buf_z(&b, "Idempotency-Replayed: true\r\n");
	meter_headers(rq, &b);
	buf_z(&b, "\r\n");
	return buf_done(&b);
}

/* ---- records ---- */

/* The content of one record; a multiple of eight, so that no record is padded. */
enum { RECORD_MAX = 65528 };

struct record_list {
	struct iovec *parts; /* each record has its header, then its content */
	FCGI_Header *headers;
	size_t nparts, nheaders;
	int request;
};

static void
add_fcgi_record(struct record_list *l, unsigned char type, const void *content, size_t n)
{
	FCGI_Header *h = &l->headers[l->nheaders++];

	*h = (FCGI_Header){
		.version = FCGI_VERSION_1,
		.type = type,
		.requestIdB1 = (unsigned char)(l->request >> 8),
		.requestIdB0 = (unsigned char)l->request,
		.contentLengthB1 = (unsigned char)(n >> 8),
		.contentLengthB0 = (unsigned char)n,
	};
	l->parts[l->nparts++] = (struct iovec){ h, sizeof(*h) };
	if (n > 0)
		l->parts[l->nparts++] = (struct iovec){ (void *)(uintptr_t)content, n };
}

static void
add_output(struct record_list *l, struct str s)
{
	while (s.n > 0) {
		size_t n = s.n < RECORD_MAX ? s.n : RECORD_MAX;

		add_fcgi_record(l, FCGI_STDOUT, s.p, n);
		s.p += n;
		s.n -= n;
	}
}

/* False: the web server has closed the connection. */
static bool
write_parts(int fd, struct iovec *parts, size_t n)
{
	while (n > 0) {
		ssize_t got = writev(fd, parts, n < IOV_MAX ? (int)n : IOV_MAX);

		if (got <= 0)
			return false;
		for (; n > 0 && (size_t)got >= parts->iov_len; parts++, n--)
			got -= (ssize_t)parts->iov_len;
		if (n > 0) {
			parts->iov_base = (char *)parts->iov_base + got;
			parts->iov_len -= (size_t)got;
		}
	}
	return true;
}

static void
send_answer(const struct req *rq, const FCGX_Request *fcgi)
{
	static const FCGI_EndRequestBody end = { .protocolStatus = FCGI_REQUEST_COMPLETE };
	struct str head = format_head(rq), body = { NULL, 0 };
	struct record_list l = { .request = fcgi->requestId };
	size_t most;

	if (rq->handed_to == NULL)
		body = buf_done(&rq->out);
	most = head.n / RECORD_MAX + body.n / RECORD_MAX + 4;
	l.headers = ARENA_ARRAY(rq->arena, most, FCGI_Header);
	l.parts = ARENA_ARRAY(rq->arena, 2 * most, struct iovec);
	add_output(&l, head);
	add_output(&l, body);
	add_fcgi_record(&l, FCGI_STDOUT, NULL, 0);
	add_fcgi_record(&l, FCGI_END_REQUEST, &end, sizeof(end));
	drain_body(fcgi);
	if (rq->worker->meter != NULL)
		meter_answering(rq->worker->meter);
	if (!write_parts(fcgi->ipcFd, l.parts, l.nparts))
		log_event(LOGP_NOTICE, "unsent", "req=%s", rq->id);
}

/* Frees the request and closes its connection. libfcgi waits until the web server has closed its
   end, because a socket that is closed with unread bytes in it loses the answer; that wait is
   needed only when the body was not read to its end. */
static void
end_request(FCGX_Request *fcgi)
{
	if (FCGX_HasSeenEOF(fcgi->in) != 0 && FCGX_GetError(fcgi->in) == 0)
		(void)FCGX_Detach(fcgi);
	FCGX_Free(fcgi, 1);
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

/* Accepts a connection and reads the parameters of its request. False: there is no connection,
 * or the parameters did not come in time.
 *
 * FCGX_Accept_r alone would accept and read before a time-out can be set, and a peer that stops
 * within a record would hold the worker for ever. When ipcFd holds a connection and
 * keepConnection is set, FCGX_Accept_r expects the next request of that connection there, and
 * only reads: so the connection is accepted here, gets its time-out, and is handed to libfcgi as
 * if it had been used before. */
static bool
accept_request(FCGX_Request *fcgi, int listener)
{
	const struct timeval time = { .tv_sec = READ_SECONDS };
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	bool ok;

	/* Every waiting worker wakes up for a connection, and one of them gets it. */
	if (fd < 0)
		return false;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)) != 0)
		panic("SO_RCVTIMEO: %s", strerror(errno));
	fcgi->ipcFd = fd;
	fcgi->keepConnection = 1;
	daemon_defer_orphan();
	ok = FCGX_Accept_r(fcgi) >= 0;
	daemon_admit_orphan();
	return ok;
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
			end_request(&fcgi);
			if (w->meter != NULL)
				meter_answered(w->meter);
			arena_reset(w->arena);
			slot->served++;
			n++;
		}
		slot->searching = 0;
		slot->hashing = 0;
		slot->busy_since = 0;
	}
	FCGX_Free(&fcgi, 1);
}
