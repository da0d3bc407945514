/* SPDX-License-Identifier: ISC */
/* Screenshots of browser sessions: C-100 to C-102, C-106. The worker reads and sends
   the image itself and does not pass a file name to nginx: it has checked the key, and it compares
   the bytes with the SHA-256 that was stored, so that a damaged file is never sent as evidence. */
#include "config.h"

#include "api/sessions/session_priv.h"
#include "resource/evidence.h"
#include "wire/values.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>
#include <unistd.h>

struct screenshot {
	struct uuid uuid, session_uuid;
	struct str reason;
	int64_t tab;
	struct str url, title, mime;
	int64_t width, height, bytes;
	struct str sha256;
	struct ts taken_at, created_at;
};

static const char *const mimes[] = { "image/jpeg", "image/png", NULL };

static const struct field screenshot_out[] = {
	FIELD(struct screenshot, uuid, 0),
	FIELD(struct screenshot, session_uuid, 0),
	ONE_OF(struct screenshot, reason, 0, shot_reasons, "The reason for the screenshot."),
	FIELD(struct screenshot, tab, 0),
	FIELD(struct screenshot, url, 0),
	FIELD(struct screenshot, title, 0),
	ONE_OF(struct screenshot, mime, 0, mimes, NULL),
	FIELD(struct screenshot, width, 0),
	FIELD(struct screenshot, height, 0),
	FIELD(struct screenshot, bytes, 0),
	FIELD(struct screenshot, sha256, 0),
	FIELD(struct screenshot, taken_at, 0),
	FIELD(struct screenshot, created_at, 0),
	FIELD_END_OF("Screenshot"),
};

#define SELECT_SCREENSHOT                                                                          \
	"SELECT uuid, session_uuid, reason, tab, url, title, mime, width, height,"                 \
	" bytes, encode(sha256, 'hex') AS sha256, taken_at, created_at"                            \
	" FROM screenshot WHERE session_uuid = $1"

STMT_LIST(select_screenshots, struct screenshot, screenshot_out, SELECT_SCREENSHOT PAGE_SQL);
STMT(select_screenshot, screenshot_out, SELECT_SCREENSHOT " AND uuid = $2");

static const struct url_param page_params[] = {
	PAGE_PARAMS(struct page_only, page),
	URL_PARAM_END,
};

static int
list_screenshots(struct req *rq)
{
	const struct page_only *args = rq->params;
	struct page_from from;
	struct session s;
	struct list rows;
	enum db_rc rc;

	if (session_evidence(rq, &s) != PASS || page_begin(rq, &args->page, &from) != PASS)
		return FAILED;
	rc = db_list(rq->db, &select_screenshots, &rows, P(s.uuid), PAGE_P(from));
	if (rc != DB_OK)
		return fail_db(rq, rc);
	return page_reply(rq, &args->page, rows, sizeof(struct screenshot));
}

/* ---- the image ---- */

/* Reads a file that must have exactly n bytes. */
static bool
read_whole_file(int fd, char *to, size_t n)
{
	size_t have = 0;
	struct stat st;

	if (fstat(fd, &st) != 0 || st.st_size < 0 || (size_t)st.st_size != n)
		return false;
	while (have < n) {
		ssize_t got = read(fd, to + have, n - have);

		if (got == 0 || (got < 0 && errno != EINTR))
			return false;
		have += got > 0 ? (size_t)got : 0;
	}
	return true;
}

/* Reads an image and compares it with its hash. The name of the file is the hash, and the row has
   the size: a file that is shorter, longer or different was damaged after it had been stored, or
   exchanged. Such a file is answered with 503 and reported in the log, and never with 404: the
   evidence exists, and an administrator can bring it back from a backup. The size is compared
   before a byte is read, and the arena has room for exactly that size. */
static struct str
read_image(struct req *rq, const struct screenshot *s, const char *file,
    const unsigned char sha256[EVIDENCE_HASH_LEN])
{
	unsigned char found[EVIDENCE_HASH_LEN];
	char *bytes = arena_alloc(rq->arena, (size_t)s->bytes);
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool good = fd >= 0 && read_whole_file(fd, bytes, (size_t)s->bytes);

	if (fd < 0)
		log_event(LOGP_ERR, "evidence", "req=%s file=%s why=\"%s\"", rq->id, file,
		    strerror(errno));
	else
		close(fd);
	if (!good)
		return STR_NULL;
	SHA256((const unsigned char *)bytes, (size_t)s->bytes, found);
	if (memcmp(found, sha256, sizeof(found)) == 0)
		return (struct str){ bytes, (size_t)s->bytes };
	log_event(LOGP_ERR, "evidence", "req=%s file=%s why=\"not what was stored\"", rq->id, file);
	return STR_NULL;
}

static int
get_screenshot(struct req *rq)
{
	unsigned char sha256[EVIDENCE_HASH_LEN];
	struct evidence_path at;
	struct screenshot shot;
	struct session s;
	struct str image;
	enum db_rc rc;

	if (session_evidence(rq, &s) != PASS)
		return FAILED;
	rc = db_one(rq->db, &select_screenshot, &shot, P(s.uuid), P(rq->path[2]));
	if (rc == DB_NONE)
		return fail(rq, ERR_SCREENSHOT_NOT_FOUND);
	if (rc != DB_OK)
		return fail_db(rq, rc);
	if (!hex_parse(shot.sha256, sha256, sizeof(sha256)) || !evidence_path(sha256, &at))
		panic("the SHA-256 of a screenshot gives no path");
	image = read_image(rq, &shot, at.file, sha256);
	if (image.p == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	buf_str(reply_begin(rq, 200), image);
	rq->content_type = arena_str(rq->arena, shot.mime).p;
	rq->etag = arena_str(rq->arena, shot.sha256).p;
	return PASS;
}

static const enum error list_errors[] = { ERR_SESSION_NOT_FOUND, ERR_UNSET };
static const enum error one_errors[] = { ERR_SESSION_NOT_FOUND, ERR_SCREENSHOT_NOT_FOUND,
	ERR_UNSET };

static const struct route screenshot_routes[] = {
	{
	    ROUTE(GET, SESSION "/screenshots", list_screenshots),
	    EVIDENCE_ROW,
	    PARAMS(struct page_only, page_params),
	    .out = screenshot_out,
	    .list = "screenshots",
	    .errors = list_errors,
	    .summary = "List a session's screenshots",
	    .description =
		"Newest first. They are kept for ever; only the key that created the session "
		"can read them.",
	},
	{
	    ROUTE(GET, SESSION "/screenshots/{screenshot_uuid}", get_screenshot),
	    EVIDENCE_ROW,
	    .media = mimes,
	    .etag = true,
	    .result = "The image; its ETag is its SHA-256.",
	    .errors = one_errors,
	    .summary = "Get a screenshot",
	    .description = "The stored bytes, unchanged.",
	},
	ROUTE_END,
};

ROUTES(200, screenshot);
