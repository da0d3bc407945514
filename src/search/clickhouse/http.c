/* SPDX-License-Identifier: ISC */
/* Statements to ClickHouse with libcurl (http.h).
 *
 *   POST /?database=surfaced&wait_end_of_query=1&...&query_id=...      the statement, or the rows of an INSERT
 *   200    the rows                                   complete, because the server has waited for its own end
 *   500    Code: 241, e.displayText() = ...           403, 404, 503 alike; the code decides what it means
 *
 * An answer is used only when it is complete. libcurl fails when less arrives than Content-Length
 * or the chunks announce. An answer with neither ends with the connection; it is refused, because
 * it may have been cut off.
 *
 * The server stops a statement by itself after max_execution_time, which has whole seconds. So
 * libcurl waits GRACE_MS longer than the deadline, and then KILL QUERY is sent over a second
 * connection: otherwise the server would be busy with an abandoned statement during the next
 * request. */
#include "config.h"

#include "search/clickhouse/http.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <unistd.h>

enum { GRACE_MS = 250, CONNECT_MS = 3000, KILL_MS = 1000, PASSWORD_MAX = 1024, ERROR_MAX = 65536 };

struct ch_http {
	struct ch_server server;
	CURL *easy, *killer;
	struct curl_slist *headers;
	struct buf body, url;
	size_t most;
	bool framed, too_large;
	int code; /* of X-ClickHouse-Exception-Code */
	char error[CURL_ERROR_SIZE];
};

/* ---- codes of exceptions ---- */

static const struct {
	int code;
	enum ch_rc rc;
} codes[] = {
	{ 159, CH_TIMEOUT },       /* TIMEOUT_EXCEEDED */
	{ 160, CH_TIMEOUT },       /* TOO_SLOW */
	{ 394, CH_TIMEOUT },       /* QUERY_WAS_CANCELLED */
	{ 158, CH_EXPENSIVE },     /* TOO_MANY_ROWS */
	{ 168, CH_EXPENSIVE },     /* TOO_BIG_AST */
	{ 241, CH_EXPENSIVE },     /* MEMORY_LIMIT_EXCEEDED */
	{ 307, CH_EXPENSIVE },     /* TOO_MANY_BYTES */
	{ 396, CH_EXPENSIVE },     /* TOO_MANY_ROWS_OR_BYTES */
	{ 202, CH_BUSY },          /* TOO_MANY_SIMULTANEOUS_QUERIES */
	{ 209, CH_UNAVAILABLE },   /* SOCKET_TIMEOUT, between servers */
	{ 210, CH_UNAVAILABLE },   /* NETWORK_ERROR, between servers */
	{ 242, CH_UNAVAILABLE },   /* TABLE_IS_READ_ONLY */
	{ 279, CH_UNAVAILABLE },   /* ALL_CONNECTION_TRIES_FAILED */
	{ 16, CH_MISCONFIGURED },  /* NO_SUCH_COLUMN_IN_TABLE */
	{ 47, CH_MISCONFIGURED },  /* UNKNOWN_IDENTIFIER */
	{ 60, CH_MISCONFIGURED },  /* UNKNOWN_TABLE */
	{ 81, CH_MISCONFIGURED },  /* UNKNOWN_DATABASE */
	{ 115, CH_MISCONFIGURED }, /* UNKNOWN_SETTING */
	{ 164, CH_MISCONFIGURED }, /* READONLY */
	{ 170, CH_MISCONFIGURED }, /* BAD_GET: the cluster is not configured */
	{ 192, CH_MISCONFIGURED }, /* UNKNOWN_USER */
	{ 193, CH_MISCONFIGURED }, /* WRONG_PASSWORD */
	{ 194, CH_MISCONFIGURED }, /* REQUIRED_PASSWORD */
	{ 195, CH_MISCONFIGURED }, /* IP_ADDRESS_NOT_ALLOWED */
	{ 291, CH_MISCONFIGURED }, /* DATABASE_ACCESS_DENIED */
	{ 497, CH_MISCONFIGURED }, /* ACCESS_DENIED */
	{ 516, CH_MISCONFIGURED }, /* AUTHENTICATION_FAILED */
	{ 701, CH_MISCONFIGURED }, /* CLUSTER_DOESNT_EXIST */
};

enum ch_rc
ch_rc_of_code(int code)
{
	for (size_t i = 0; i < COUNT(codes); i++)
		if (codes[i].code == code)
			return codes[i].rc;
	return CH_FAILED;
}

const char *
ch_rc_name(enum ch_rc rc)
{
	static const char *const names[] = { "ok", "timeout", "expensive", "busy", "unavailable",
		"misconfigured", "failed" };

	return names[rc];
}

/* ---- a handle ---- */

/* An option that libcurl refuses is a bug of this program. */
#define SET(easy, option, value)                                                                   \
	do {                                                                                       \
		if (curl_easy_setopt(easy, option, value) != CURLE_OK)                             \
			panic("libcurl refuses " #option);                                         \
	} while (0)

static size_t
keep_answer(char *bytes, size_t size, size_t n, void *arg)
{
	struct ch_http *h = arg;

	(void)size; /* libcurl: always 1 */
	if (n > h->most - h->body.n) {
		h->too_large = true;
		return 0;
	}
	buf_add(&h->body, bytes, n);
	return n;
}

/* Reads the code of an exception, and notices a header that determines the end of the answer. */
static size_t
read_header(char *bytes, size_t size, size_t n, void *arg)
{
	static const struct str exception = STR_INIT("x-clickhouse-exception-code:");
	struct ch_http *h = arg;
	struct str line = { bytes, n };
	char room[256];

	(void)size;
	if (n >= sizeof(room))
		return n;
	line = str_lower_ascii(room, line);
	if (str_starts(line, STR("content-length:")) ||
	    (str_starts(line, STR("transfer-encoding:")) && str_ends(line, STR("chunked\r\n"))))
		h->framed = true;
	if (str_starts(line, exception)) {
		room[n] = '\0';
		h->code = (int)strtol(room + exception.n, NULL, 10);
	}
	return n;
}

static void
add_header(struct ch_http *h, const char *name, const char *value, size_t n)
{
	char line[PASSWORD_MAX + 64];
	struct curl_slist *longer;

	snprintf(line, sizeof(line), "%s: %.*s", name, (int)n, value);
	longer = curl_slist_append(h->headers, line);
	if (longer == NULL)
		panic("out of memory");
	h->headers = longer;
}

static void
add_password(struct ch_http *h)
{
	char room[PASSWORD_MAX + 1];
	ssize_t n;
	int fd;

	if (h->server.password_file[0] == '\0')
		return;
	fd = open(h->server.password_file, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, room, sizeof(room));
	if (fd >= 0)
		close(fd);
	if (n < 0) { /* without it the server refuses the user, and the statement fails */
		log_event(LOGP_ERR, "clickhouse", "password_file=%s refused=\"cannot be read\"",
		    h->server.password_file);
		return;
	}
	for (ssize_t i = 0; i < n; i++)
		if (room[i] == '\n' || room[i] == '\r')
			n = i;
	if (n > PASSWORD_MAX) {
		log_event(LOGP_ERR, "clickhouse",
		    "password_file=%s refused=\"its first line has more than %d bytes\"",
		    h->server.password_file, PASSWORD_MAX);
		return;
	}
	add_header(h, "X-ClickHouse-Key", room, (size_t)n);
}

static CURL *
new_easy(struct ch_http *h)
{
	CURL *easy = curl_easy_init();

	if (easy == NULL)
		panic("out of memory");
	SET(easy, CURLOPT_NOSIGNAL, 1L);
	SET(easy, CURLOPT_PROTOCOLS_STR, "http,https");
	SET(easy, CURLOPT_PROXY, "");
	SET(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	SET(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	SET(easy, CURLOPT_HTTPHEADER, h->headers);
	SET(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	SET(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	SET(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	SET(easy, CURLOPT_WRITEFUNCTION, keep_answer);
	SET(easy, CURLOPT_WRITEDATA, h);
	SET(easy, CURLOPT_HEADERFUNCTION, read_header);
	SET(easy, CURLOPT_HEADERDATA, h);
	SET(easy, CURLOPT_ERRORBUFFER, h->error);
	if (h->server.ca_file[0] != '\0') { /* only this file, not also the system directory */
		SET(easy, CURLOPT_CAINFO, h->server.ca_file);
		SET(easy, CURLOPT_CAPATH, NULL);
	}
	return easy;
}

struct ch_http *
ch_http_open(const struct ch_server *server)
{
	struct ch_http *h = mem_zero(sizeof(*h));
	const char *user = server->user[0] == '\0' ? "default" : server->user;

	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		panic("libcurl cannot start");
	h->server = *server;
	add_header(h, "X-ClickHouse-User", user, strlen(user));
	add_header(h, "Expect", "", 0);
	add_header(h, "Content-Type", "application/octet-stream", 24);
	add_password(h);
	h->easy = new_easy(h);
	h->killer = new_easy(h);
	return h;
}

void
ch_http_close(struct ch_http *h)
{
	if (h == NULL)
		return;
	curl_easy_cleanup(h->easy);
	curl_easy_cleanup(h->killer);
	curl_slist_free_all(h->headers);
	buf_free(&h->body);
	buf_free(&h->url);
	free(h);
}

/* ---- a statement ---- */

/* Appends a text with every byte except letters, digits, '_' and '-' as %XX. */
static void
add_escaped(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    c == '_' || c == '-')
			buf_char(b, (char)c);
		else
			buf_printf(b, "%%%02X", c);
	}
}

static void
make_url(struct ch_http *h, const struct ch_statement *s)
{
	struct buf *b = &h->url;

	b->n = 0;
	buf_printf(b, "%s/?wait_end_of_query=1&skip_unavailable_shards=%d&database=", h->server.url,
	    s->partial);
	add_escaped(b, str_of(h->server.database));
	if (s->settings[0] != '\0')
		buf_printf(b, "&%s", s->settings);
	if (s->query_id[0] != '\0')
		buf_printf(b, "&query_id=%s", s->query_id);
	if (s->data.p != NULL) {
		buf_z(b, "&query=");
		add_escaped(b, s->sql);
	}
	buf_char(b, '\0');
}

static CURLcode
perform_clickhouse(struct ch_http *h, CURL *easy, struct str body, long ms)
{
	h->body.n = 0;
	h->framed = h->too_large = false;
	h->code = 0;
	h->error[0] = '\0';
	SET(easy, CURLOPT_URL, h->url.p);
	SET(easy, CURLOPT_POST, 1L);
	SET(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.n);
	SET(easy, CURLOPT_POSTFIELDS, body.p);
	SET(easy, CURLOPT_TIMEOUT_MS, ms);
	return curl_easy_perform(easy);
}

/* Cancels a statement whose answer is not needed any more. With ASYNC the server answers at once
   and cancels it later; that answer is not used. */
static void
kill_statement(struct ch_http *h, const char *query_id)
{
	struct ch_statement kill = { .settings = "", .query_id = "" };
	struct buf sql = { 0 };

	buf_z(&sql, "KILL QUERY WHERE query_id = unhex('");
	for (const char *p = query_id; *p != '\0'; p++)
		buf_printf(&sql, "%02X", (unsigned char)*p);
	buf_z(&sql, "') ASYNC");
	h->most = ERROR_MAX;
	make_url(h, &kill);
	if (perform_clickhouse(h, h->killer, (struct str){ sql.p, sql.n }, KILL_MS) != CURLE_OK)
		log_event(
		    LOGP_WARNING, "clickhouse", "query_id=%s kill=\"%s\"", query_id, h->error);
	buf_free(&sql);
}

/* Parses the code at the beginning of an error: "Code: 241, ...". */
static int
code_of_text(struct str s)
{
	struct str head = STR("Code: ");
	int code = 0;

	if (!str_starts(s, head))
		return 0;
	for (size_t i = head.n; i < s.n && i < head.n + 6 && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		code = code * 10 + (s.p[i] - '0');
	return code;
}

/* Copies the first line of the server's message, with blanks for control characters, quotes and
   bytes beyond ASCII. Statements contain texts of users only in unhex(), so the message does not
   show them. */
static void
copy_words(char out[CH_MESSAGE], struct str s)
{
	size_t n = 0;

	for (; n < s.n && n + 1 < CH_MESSAGE && s.p[n] != '\n'; n++)
		out[n] = s.p[n] >= 0x20 && s.p[n] < 0x7f && s.p[n] != '"' ? s.p[n] : ' ';
	out[n] = '\0';
}

/* Whether the connection failed because of the configuration: the certificate of the server was not
   issued by an authority of clickhouse_ca_file, or has another name, or the file cannot be read. */
static bool
is_distrusted(CURLcode rc)
{
	return rc == CURLE_PEER_FAILED_VERIFICATION || rc == CURLE_SSL_CACERT_BADFILE ||
	       rc == CURLE_SSL_ISSUER_ERROR;
}

static enum ch_rc
judge_failure(struct ch_http *h, const struct ch_statement *s, CURLcode rc, struct ch_answer *out)
{
	if (rc == CURLE_OPERATION_TIMEDOUT && mono_us() >= s->deadline) {
		snprintf(out->message, CH_MESSAGE, "the deadline has passed");
		if (s->query_id[0] != '\0')
			kill_statement(h, s->query_id);
		return CH_TIMEOUT;
	}
	out->too_large = h->too_large;
	snprintf(out->message, CH_MESSAGE, "%s",
	    h->too_large          ? "the answer is larger than a statement may have"
	    : h->error[0] != '\0' ? h->error
				  : curl_easy_strerror(rc));
	return is_distrusted(rc) ? CH_MISCONFIGURED : CH_FAILED;
}

static enum ch_rc
judge_status(const struct ch_http *h, long status, struct ch_answer *out)
{
	out->code = h->code != 0 ? h->code : code_of_text(out->body);
	if (status == 200 && out->code == 0 && h->framed)
		return CH_OK;
	if (status == 200 && h->code == 0) {
		/* Rows may begin with any bytes, even with those of an exception. The decoder
		   checks them. */
		out->code = 0;
		if (h->framed)
			return CH_OK;
		snprintf(out->message, CH_MESSAGE, "the end of the answer is unknown");
		return CH_FAILED;
	}
	copy_words(out->message, out->body);
	if (out->code != 0)
		return ch_rc_of_code(out->code);
	if (out->message[0] == '\0')
		snprintf(out->message, CH_MESSAGE, "status %ld", status);
	return status == 503                    ? CH_UNAVAILABLE
	       : status == 401 || status == 403 ? CH_MISCONFIGURED
						: CH_FAILED;
}

enum ch_rc
ch_http_run(struct ch_http *h, const struct ch_statement *s, struct ch_answer *out)
{
	int64_t rest = (s->deadline - mono_us()) / 1000;
	long status = 0;
	CURLcode rc;

	*out = (struct ch_answer){ .body = STR_NULL };
	if (rest <= 0) {
		snprintf(out->message, CH_MESSAGE, "the deadline has passed");
		return CH_TIMEOUT;
	}
	h->most = s->most > ERROR_MAX ? s->most : ERROR_MAX;
	make_url(h, s);
	rc = perform_clickhouse(
	    h, h->easy, s->data.p != NULL ? s->data : s->sql, (long)(rest + GRACE_MS));
	if (rc != CURLE_OK)
		return judge_failure(h, s, rc, out);
	curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
	out->body = (struct str){ h->body.p, h->body.n };
	return judge_status(h, status, out);
}
