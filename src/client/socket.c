/* SPDX-License-Identifier: ISC */
/* A WebSocket over a connection that libcurl makes (CURLOPT_CONNECT_ONLY).
 *
 * Sec-WebSocket-Accept of the answer is not compared: it protects against servers that do not know
 * WebSockets, and the status 101 of a server that TLS has authenticated says the same. */
#include "config.h"

#include "base/limits.h"
#include "client/api.h"
#include "client/socket.h"

#include <curl/curl.h>
#include <poll.h>

enum { HEAD_MAX = 16384, READ_BYTES = 65536, KEY_BYTES = 16, FRAME_MAX = 8 * 1024 * 1024 };

static int
broken(const struct socket *s, CURLcode rc)
{
	return fail(s->c, NO_ANSWER, "the live stream broke: %s", curl_easy_strerror(rc));
}

/* Waits until the connection can be read, or written. */
static void
wait_for(const struct socket *s, short events)
{
	curl_socket_t fd = CURL_SOCKET_BAD;

	if (curl_easy_getinfo(s->curl, CURLINFO_ACTIVESOCKET, &fd) == CURLE_OK &&
	    fd != CURL_SOCKET_BAD)
		(void)poll(&(struct pollfd){ .fd = fd, .events = events }, 1, -1);
}

static CURLcode
send_all(struct socket *s, const void *bytes, size_t n)
{
	const char *p = bytes;
	CURLcode rc;

	while (n > 0) {
		size_t sent = 0;

		rc = curl_easy_send(s->curl, p, n, &sent);
		if (rc == CURLE_AGAIN)
			wait_for(s, POLLOUT);
		else if (rc != CURLE_OK)
			return rc;
		p += sent;
		n -= sent;
	}
	return CURLE_OK;
}

/* At least one byte, or none at the end of the connection. */
static CURLcode
receive(struct socket *s, void *bytes, size_t room, size_t *n)
{
	CURLcode rc;

	while ((rc = curl_easy_recv(s->curl, bytes, room, n)) == CURLE_AGAIN)
		wait_for(s, POLLIN);
	return rc;
}

/* ---- the upgrade ---- */

static int
connect_only(struct socket *s)
{
	const struct settings *set = &s->c->settings;
	char why[CURL_ERROR_SIZE] = "";
	CURLcode rc;

	s->curl = curl_easy_init();
	if (s->curl == NULL)
		panic("libcurl does not start");
	curl_easy_setopt(s->curl, CURLOPT_URL, set->url.p);
	curl_easy_setopt(s->curl, CURLOPT_PROTOCOLS_STR, "https");
	curl_easy_setopt(s->curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(s->curl, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(s->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(s->curl, CURLOPT_ERRORBUFFER, why);
	if (set->cacert != NULL)
		curl_easy_setopt(s->curl, CURLOPT_CAINFO, set->cacert);
	if (set->socket != NULL)
		curl_easy_setopt(s->curl, CURLOPT_UNIX_SOCKET_PATH, set->socket);
	rc = curl_easy_perform(s->curl);
	if (rc == CURLE_OK)
		return DONE;
	return fail(
	    s->c, NO_ANSWER, "%s: %s", set->url.p, why[0] != '\0' ? why : curl_easy_strerror(rc));
}

/* The request; the URL is split at the first slash behind its host. */
static struct str
upgrade_head(struct socket *s, struct str path)
{
	struct str url = s->c->settings.url, host = { url.p + sizeof("https://") - 1, 0 };
	unsigned char random[KEY_BYTES];
	char key[4 * ((KEY_BYTES + 2) / 3) + 1];
	size_t at = sizeof("https://") - 1;

	while (at < url.n && url.p[at] != '/')
		at++;
	host.n = (size_t)(url.p + at - host.p);
	random_bytes(random, sizeof(random));
	for (size_t i = 0, n = base64url_print(key, random, sizeof(random)); i < n; i++)
		if (key[i] == '-' ||
		    key[i] == '_') /* the other alphabet of RFC 4648; any key is as good */
			key[i] = 'A';
	return arena_printf(s->c->page,
	    "GET %.*s%.*s HTTP/1.1\r\nHost: %.*s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
	    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s==\r\nSec-WebSocket-Protocol: "
	    "%.*s\r\n\r\n",
	    (int)(url.n - at), url.p + at, (int)path.n, path.p, (int)host.n, host.p, key,
	    (int)s->subprotocol.n, s->subprotocol.p);
}

/* Reads the head of the answer; what follows it is the first bytes of the WebSocket, or the body of
   a refusal. */
static int
read_frame_head(struct socket *s, struct answer *a)
{
	struct buf head = { .a = s->c->page };
	char bytes[READ_BYTES], *end = NULL;
	int64_t status;
	CURLcode rc;
	size_t n;

	while (end == NULL) {
		rc = receive(s, bytes, sizeof(bytes), &n);
		if (rc != CURLE_OK || n == 0 || head.n + n > HEAD_MAX + sizeof(bytes))
			return broken(s, rc == CURLE_OK ? CURLE_GOT_NOTHING : rc);
		buf_add(&head, bytes, n);
		end = memmem(head.p, head.n, "\r\n\r\n", 4);
	}
	if (!str_starts(buf_done(&head), STR("HTTP/1.1 ")) ||
	    !str_int64((struct str){ head.p + sizeof("HTTP/1.1 ") - 1, 3 }, &status))
		return broken(s, CURLE_WEIRD_SERVER_REPLY);
	a->status = (long)status;
	buf_add(&s->early, end + 4, head.n - (size_t)(end + 4 - head.p));
	return DONE;
}

/* Reads the body of a refusal until it is a whole JSON value. */
static void
read_refusal(struct socket *s, struct answer *a)
{
	char bytes[HEAD_MAX];
	size_t n = 1;

	while (
	    n > 0 && s->early.n < HEAD_MAX && json_parse(s->c->page, buf_done(&s->early)) == NULL) {
		if (receive(s, bytes, sizeof(bytes), &n) != CURLE_OK)
			break;
		buf_add(&s->early, bytes, n);
	}
	a->body = s->early;
}

int
socket_open(struct socket *s, struct str path)
{
	static const struct ws_rules rules = {
		.text = true, .frame_max = FRAME_MAX, .message_max = FRAME_MAX
	};
	struct answer a = { .retry_after = -1 };
	struct str head;
	CURLcode rc;
	int status = connect_only(s);

	if (status != DONE)
		return status;
	head = upgrade_head(s, path);
	rc = send_all(s, head.p, head.n);
	status = rc == CURLE_OK ? read_frame_head(s, &a) : broken(s, rc);
	if (status != DONE)
		return status;
	if (a.status != 101) {
		read_refusal(s, &a);
		return api_refused(s->c, &a);
	}
	ws_start(&s->reader, &rules);
	return DONE;
}

/* ---- frames ---- */

int
socket_send(struct socket *s, struct str text)
{
	unsigned char head[WS_HEAD_MAX], mask[4];
	struct buf b = { .a = s->c->page };
	CURLcode rc;
	size_t n;

	random_bytes(mask, sizeof(mask));
	n = ws_head(head, WS_TEXT | WS_FIN, text.n, mask);
	buf_add(&b, head, n);
	buf_str(&b, text);
	ws_mask((unsigned char *)b.p + n, text.n, mask, 0);
	rc = send_all(s, b.p, b.n);
	return rc == CURLE_OK ? DONE : broken(s, rc);
}

static CURLcode
answer_control(struct socket *s)
{
	unsigned char out[WS_CONTROL_FRAME], mask[4];
	const struct ws_frame *f = &s->reader.frame;

	random_bytes(mask, sizeof(mask));
	if (f->opcode == WS_PING)
		return send_all(s, out,
		    ws_control(out, WS_PONG | WS_FIN,
			(struct str){ (char *)s->reader.control, f->length }, mask));
	if (f->opcode != WS_CLOSE)
		return CURLE_OK;
	s->close_code = s->reader.close_code;
	s->close_reason = arena_str(s->c->arena, s->reader.close_reason);
	return send_all(s, out, ws_close(out, s->close_code, STR(""), mask));
}

/* The end of a frame: a whole message goes to on_text, a control frame is answered. */
static CURLcode
end_socket_frame(struct socket *s)
{
	const struct ws_frame *f = &s->reader.frame;

	if (f->opcode >= WS_CLOSE)
		return answer_control(s);
	if (f->fin && f->message == WS_TEXT)
		s->on_text(s->arg, buf_done(&s->message));
	if (f->fin)
		buf_clear(&s->message);
	return CURLE_OK;
}

/* Reads frames of some bytes; false after a message: the peer broke the protocol or the
   connection. */
static bool
read_frames(struct socket *s, unsigned char *bytes, size_t n)
{
	enum ws_event event = WS_HEAD;
	CURLcode rc = CURLE_OK;

	while (event != WS_MORE && rc == CURLE_OK) {
		size_t used = 0;

		event = ws_next(&s->reader, bytes, n, &used);
		bytes += used;
		n -= used;
		if (event == WS_PIECE && s->reader.frame.message == WS_TEXT &&
		    s->reader.frame.opcode < WS_CLOSE)
			buf_add(&s->message, s->reader.piece, s->reader.piece_n);
		if (event == WS_END)
			rc = end_socket_frame(s);
		if (event == WS_BAD) {
			fail(s->c, FAILED_THERE, "the live stream breaks its protocol: %s",
			    s->reader.why);
			return false;
		}
	}
	/* After a close frame nobody needs what could not be sent. */
	if (rc != CURLE_OK && s->close_code == 0)
		broken(s, rc);
	return rc == CURLE_OK || s->close_code != 0;
}

int
socket_read(struct socket *s)
{
	unsigned char bytes[READ_BYTES];
	CURLcode rc;
	size_t n;

	if (!read_frames(s, (unsigned char *)s->early.p, s->early.n))
		return NO_ANSWER;
	while (s->close_code == 0) {
		rc = receive(s, bytes, sizeof(bytes), &n);
		if (rc != CURLE_OK || n == 0)
			return broken(s, rc == CURLE_OK ? CURLE_GOT_NOTHING : rc);
		if (!read_frames(s, bytes, n))
			return NO_ANSWER;
	}
	return DONE;
}

void
socket_close(struct socket *s)
{
	curl_easy_cleanup(s->curl);
	buf_free(&s->early);
	buf_free(&s->message);
}
