/* SPDX-License-Identifier: ISC */
/* Requests to a TAXII server (taxii_http.h), by libcurl. */
#include "config.h"

#include "cli/report/taxii_http.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	CONNECT_S = 15,
	TRIES = 5,
	FIRST_PAUSE_MS = 200,
	HEAD_MAX = 64 * 1024,
	CREDENTIALS_MAX = 16 * 1024,
	DATE_MAX = 64,
	SHOWN = 300,
};

struct taxii_http {
	struct cli *cli;
	struct taxii_settings settings;
	CURL *curl;
	struct curl_slist *headers;
	int64_t waited; /* seconds, of .patience */
	/* the answer under way */
	struct buf body;
	struct arena *a;
	struct taxii_answer *answer;
	size_t head_n;
	bool too_large;
	char why[CURL_ERROR_SIZE];
};

/* ---- an answer ---- */

static size_t
take_body(char *bytes, size_t size, size_t n, void *arg)
{
	struct taxii_http *h = arg;

	n *= size;
	h->too_large = n > (size_t)TAXII_PAGE_MAX - h->body.n;
	if (h->too_large)
		return 0;
	buf_add(&h->body, bytes, n);
	return n;
}

/* Sets the text if the line is the header of that name, and its value is a time. */
static void
take_date(struct taxii_http *h, struct str line, const char *name, struct str *out)
{
	size_t n = strlen(name);
	struct ts t;

	if (line.n <= n || line.p[n] != ':' || strncasecmp(line.p, name, n) != 0)
		return;
	line = str_trim((struct str){ line.p + n + 1, line.n - n - 1 });
	if (line.n <= DATE_MAX && ts_parse(line, &t))
		*out = arena_str(h->a, line);
}

static size_t
take_header(char *bytes, size_t size, size_t n, void *arg)
{
	struct taxii_http *h = arg;
	struct str line = { bytes, n * size };

	h->head_n += line.n;
	if (h->head_n > HEAD_MAX)
		return 0;
	if (str_utf8_bad(line) == line.n) {
		take_date(h, line, "X-TAXII-Date-Added-First", &h->answer->first);
		take_date(h, line, "X-TAXII-Date-Added-Last", &h->answer->last);
	}
	return line.n;
}

/* ---- repetitions ---- */

static void
pause_ms(int64_t ms)
{
	struct timespec left = { ms / 1000, ms % 1000 * 1000000 };

	while (nanosleep(&left, &left) != 0 && errno == EINTR)
		;
}

/* Whether another attempt may have a better end: the network failed, and not a name, a certificate
   or a limit. */
static bool
is_broken(CURLcode rc)
{
	static const CURLcode broken[] = { CURLE_COULDNT_CONNECT, CURLE_PARTIAL_FILE,
		CURLE_OPERATION_TIMEDOUT, CURLE_SSL_CONNECT_ERROR, CURLE_GOT_NOTHING,
		CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM };

	for (size_t i = 0; i < COUNT(broken); i++)
		if (rc == broken[i])
			return true;
	return false;
}

/* Waits before another attempt; false: there is none. */
static bool
try_again(const struct taxii_http *h, int *tried, const char *why)
{
	if (++*tried >= TRIES)
		return false;
	if (!h->settings.quiet)
		cli_fail(EXIT_FAILED, "%s; trying again (%d of %d)", why, *tried + 1, TRIES);
	pause_ms((int64_t)FIRST_PAUSE_MS << (*tried - 1));
	return true;
}

/* Waits as long as the server requests; false: it requests no wait, or more than is left of
   --patience. */
static bool
wait_as_asked(struct taxii_http *h, long status)
{
	curl_off_t seconds = 0;

	curl_easy_getinfo(h->curl, CURLINFO_RETRY_AFTER, &seconds);
	if (seconds <= 0 || seconds > h->settings.patience - h->waited)
		return false;
	h->waited += seconds;
	if (!h->settings.quiet)
		cli_fail(EXIT_FAILED, "the server answers %ld; waiting for %jd s", status,
		    (intmax_t)seconds);
	pause_ms(seconds * 1000);
	return true;
}

static const char *
advice_for(long status)
{
	static const struct {
		long status;
		const char *advice;
	} all[] = {
		{ 401, ": --credentials names a file with the user and password, or the token" },
		{ 403, ": the credentials may not read this" },
		{ 404, ": no TAXII server, API root or collection is there" },
		{ 406, ": it does not speak TAXII 2.1" },
		{ 415, ": it does not speak TAXII 2.1" },
		{ 429, ": too many requests; run the command again later, or raise --patience" },
		{ 503, ": it is busy; run the command again later, or raise --patience" },
	};

	for (size_t i = 0; i < COUNT(all); i++)
		if (all[i].status == status)
			return all[i].advice;
	return status >= 300 && status < 400 ? ": redirects are not followed" : "";
}

static int
fail_status(const struct taxii_http *h, struct str url, long status)
{
	const char *location = NULL;

	curl_easy_getinfo(h->curl, CURLINFO_REDIRECT_URL, &location);
	return cli_fail(EXIT_FAILED, "%.*s answers %ld%s%s%.*s", (int)url.n, url.p, status,
	    advice_for(status), location == NULL ? "" : "; it leads to ", SHOWN,
	    location == NULL ? "" : location);
}

static CURLcode
perform_taxii(struct taxii_http *h, struct arena *a, const char *url, struct taxii_answer *out)
{
	h->a = a;
	h->answer = out;
	h->body = (struct buf){ .a = a };
	h->head_n = 0;
	h->too_large = false;
	h->why[0] = '\0';
	*out = (struct taxii_answer){ .body = STR_NULL };
	if (curl_easy_setopt(h->curl, CURLOPT_URL, url) != CURLE_OK)
		panic("libcurl refuses CURLOPT_URL");
	return curl_easy_perform(h->curl);
}

int
taxii_get(struct taxii_http *h, struct arena *a, struct str url, struct taxii_answer *out)
{
	const char *z = arena_str(a, url).p, *why;
	long status = 0;
	CURLcode rc;

	for (int tried = 0;;) {
		rc = perform_taxii(h, a, z, out);
		status = 0;
		if (rc == CURLE_OK)
			curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &status);
		if (status == 200) {
			out->body = buf_done(&h->body);
			return EXIT_OK;
		}
		if ((status == 429 || status == 503) && wait_as_asked(h, status))
			continue;
		why = h->why[0] != '\0' ? h->why : curl_easy_strerror(rc);
		if ((is_broken(rc) && try_again(h, &tried, why)) ||
		    (status >= 502 && status <= 504 && try_again(h, &tried, "the server is busy")))
			continue;
		if (rc == CURLE_OK)
			return fail_status(h, url, status);
		if (h->too_large)
			return cli_fail(EXIT_FAILED,
			    "%s: the answer is larger than %d bytes; a smaller --limit asks for "
			    "fewer objects",
			    z, TAXII_PAGE_MAX);
		return cli_fail(EXIT_FAILED, "%s: %s", z, why);
	}
}

/* ---- credentials ---- */

#define SET(option, value)                                                                         \
	do {                                                                                       \
		if (curl_easy_setopt(h->curl, option, value) != CURLE_OK)                          \
			panic("libcurl refuses " #option);                                         \
	} while (0)

/* The first line of the file; STR_NULL after a message. */
static struct str
read_secret_file(struct cli *c, const char *path)
{
	char room[CREDENTIALS_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	struct str line = { room, 0 };
	ssize_t n = -1;

	if (fd < 0 || fstat(fd, &st) != 0) {
		cli_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || (st.st_mode & 077) != 0) {
		cli_fail(EXIT_FAILED,
		    "%s: other users may read or change it; a file with credentials must have "
		    "the mode 0600",
		    path);
	} else if ((n = read(fd, room, sizeof(room))) < 0) {
		cli_fail(EXIT_FAILED, "%s: %s", path, strerror(errno));
	}
	fd_close(fd);
	if (n < 0)
		return STR_NULL;
	while (line.n < (size_t)n && room[line.n] != '\n' && room[line.n] != '\r')
		line.n++;
	return arena_str(c->arena, line);
}

/* The words behind the scheme. */
static bool
is_scheme(struct str *line, const char *scheme)
{
	size_t n = strlen(scheme);

	if (line->n <= n || strncasecmp(line->p, scheme, n) != 0 || line->p[n] != ' ')
		return false;
	*line = (struct str){ line->p + n + 1, line->n - n - 1 };
	return true;
}

static bool
is_printable(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return false;
	return s.n > 0;
}

static bool
set_credentials(struct taxii_http *h)
{
	const char *path = h->settings.credentials;
	struct str line;

	if (path == NULL)
		return true;
	line = read_secret_file(h->cli, path);
	if (line.p == NULL)
		return false;
	if (is_scheme(&line, "basic") && is_printable(line) &&
	    memchr(line.p, ':', line.n) != NULL) {
		SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		SET(CURLOPT_USERPWD, line.p);
		return true;
	}
	if (is_scheme(&line, "bearer") && str_graphic(line)) {
		SET(CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
		SET(CURLOPT_XOAUTH2_BEARER, line.p);
		return true;
	}
	cli_fail(EXIT_FAILED,
	    "%s: the first line must be \"basic USER:PASSWORD\" or \"bearer TOKEN\"", path);
	return false;
}

/* ---- open and close ---- */

static void
set_options(struct taxii_http *h)
{
	h->headers = curl_slist_append(NULL, "Accept: application/taxii+json;version=2.1");
	if (h->headers == NULL)
		panic("out of memory");
	SET(CURLOPT_PROTOCOLS_STR, "https");
	SET(CURLOPT_PROXY, "");
	SET(CURLOPT_FOLLOWLOCATION, 0L);
	SET(CURLOPT_NOSIGNAL, 1L);
	SET(CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	SET(CURLOPT_HTTPHEADER, h->headers);
	SET(CURLOPT_CONNECTTIMEOUT, (long)CONNECT_S);
	SET(CURLOPT_LOW_SPEED_LIMIT, 1L);
	SET(CURLOPT_LOW_SPEED_TIME, (long)h->settings.timeout);
	SET(CURLOPT_ERRORBUFFER, h->why);
	SET(CURLOPT_WRITEFUNCTION, take_body);
	SET(CURLOPT_WRITEDATA, h);
	SET(CURLOPT_HEADERFUNCTION, take_header);
	SET(CURLOPT_HEADERDATA, h);
	if (h->settings.ca != NULL)
		SET(CURLOPT_CAINFO, h->settings.ca);
}

struct taxii_http *
taxii_open(struct cli *c, const struct taxii_settings *s)
{
	struct taxii_http *h = ARENA_NEW(c->arena, struct taxii_http);

	*h = (struct taxii_http){ .cli = c, .settings = *s };
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK ||
	    (h->curl = curl_easy_init()) == NULL)
		panic("libcurl does not start");
	set_options(h);
	if (set_credentials(h))
		return h;
	taxii_close(h);
	return NULL;
}

void
taxii_close(struct taxii_http *h)
{
	curl_easy_cleanup(h->curl);
	curl_slist_free_all(h->headers);
	curl_global_cleanup();
}
