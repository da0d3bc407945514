/* SPDX-License-Identifier: ISC */
/* Evidence: images become files named by their SHA-256, which stand before any row names them; rows that the
   database does not take now wait in memory, in order. */
#include "config.h"

#include "browser/dispatch/dispatch.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	IMAGE_MAX = 16 * 1024 * 1024,
	WAITING_MAX = 4096, /* pieces that wait for the database, and their bytes */
	SHOTS_WAITING_MAX =
	    64, /* nobody can say then whether they may be stored at all */
	WAITING_BYTES_MAX = 64 * 1024 * 1024,
};

enum evidence_kind { EVIDENCE_SHOT, EVIDENCE_EVENTS, EVIDENCE_TRUNCATED };

/* One allocation: its texts stand behind it. */
struct evidence {
	TAILQ_ENTRY(evidence) next;
	enum evidence_kind kind;
	struct uuid session;
	int64_t epoch;
	struct shot_row shot;
	struct strs docs;
	size_t bytes;
};

/* ---- files ---- */

/* What was sent cannot change while it is read. */
static const unsigned char *
image_map(int fd, size_t *n)
{
	const int sealed = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
	struct stat st;
	void *p;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    st.st_size > IMAGE_MAX || (fcntl(fd, F_GET_SEALS) & sealed) != sealed)
		return NULL;
	*n = (size_t)st.st_size;
	p = mmap(NULL, *n, PROT_READ, MAP_PRIVATE, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static bool
image_is(const unsigned char *p, size_t n, struct str mime)
{
	static const struct {
		const char *mime, *magic;
	} kinds[] = {
		{ "image/jpeg", "\xff\xd8\xff" },
		{ "image/png", "\x89PNG\r\n\x1a\n" },
	};

	for (size_t i = 0; i < COUNT(kinds); i++)
		if (str_is(mime, kinds[i].mime))
			return n > strlen(kinds[i].magic) &&
			       memcmp(p, kinds[i].magic, strlen(kinds[i].magic)) == 0;
	return false;
}

static bool
sync_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool good = fd >= 0 && fsync(fd) == 0;

	if (fd >= 0)
		close(fd);
	return good;
}

/* Makes path, a folder in parent, if there is none. */
static bool
folder(const char *path, const char *parent)
{
	if (mkdir(path, 0750) == 0)
		return sync_folder(parent);
	return errno == EEXIST;
}

static bool
write_all(int fd, const unsigned char *p, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno != EINTR)
			return false;
		if (done > 0) {
			p += done;
			n -= (size_t)done;
		}
	}
	return fsync(fd) == 0;
}

static bool
put(const struct evidence_path *at, const unsigned char *p, size_t n)
{
	const struct uuid u = uuid_random();
	char fresh[UUID_LEN + 1], temporary[sizeof(at->file)];
	bool good;
	int fd;

	uuid_print(&u, fresh);
	snprintf(temporary, sizeof(temporary), "%s/.%s", at->inner, fresh);
	fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
	if (fd < 0)
		return false;
	good = write_all(fd, p, n);
	good = close(fd) == 0 && good && rename(temporary, at->file) == 0;
	if (!good)
		unlink(temporary);
	return good;
}

/* The folder is synced even where the file was there: whoever made it may not have come so far. */
static bool
image_store(
    const unsigned char *p, size_t n, const unsigned char sha256[EVIDENCE_HASH_LEN])
{
	struct evidence_path at;
	struct stat st;

	if (!evidence_path(sha256, &at) || !folder(at.outer, conf.evidence_directory) ||
	    !folder(at.inner, at.outer))
		return false;
	if ((stat(at.file, &st) != 0 || (size_t)st.st_size != n) && !put(&at, p, n))
		return false;
	return sync_folder(at.inner);
}

/* ---- what waits ---- */

static char *
keep(char **to, struct str *s)
{
	char *at = *to;

	if (s->n > 0)
		memcpy(at, s->p, s->n);
	s->p = at;
	*to = at + s->n;
	return at;
}

static struct evidence *
evidence_new(const struct held *h, enum evidence_kind kind, size_t room)
{
	struct evidence *e = calloc(1, sizeof(*e) + room);

	if (e == NULL)
		panic("memory");
	e->kind = kind;
	e->session = h->row.uuid;
	e->epoch = h->row.epoch;
	e->bytes = sizeof(*e) + room;
	return e;
}

static bool
has_room(const struct dispatcher *d, size_t bytes)
{
	return d->waiting < WAITING_MAX && d->waiting_bytes + bytes <= WAITING_BYTES_MAX;
}

static void
queue(struct dispatcher *d, struct evidence *e)
{
	TAILQ_INSERT_TAIL(&d->evidence, e, next);
	d->waiting++;
	d->waiting_bytes += e->bytes;
	evidence_flush(d);
}

static void
answer(struct held *h, struct uuid id, const char *refused)
{
	const struct runner_stored stored = { id };
	const struct runner_refused no = { id, str_of(refused) };

	if (h == NULL || h->link == NULL)
		return;
	if (refused == NULL)
		link_send(h->link, "stored", runner_stored_fields, &stored, -1);
	else
		link_send(h->link, "refused", runner_refused_fields, &no, -1);
}

static enum stored
store(struct dispatcher *d, const struct evidence *e)
{
	switch (e->kind) {
	case EVIDENCE_SHOT:
		return store_shot(d, e->session, e->epoch, &e->shot);
	case EVIDENCE_EVENTS:
		return store_events(d, e->session, e->epoch, e->docs);
	case EVIDENCE_TRUNCATED:
		return store_truncated(d, e->session, e->epoch);
	}
	panic("evidence of kind %d", (int)e->kind);
}

/* NULL: it is stored, or will be. */
static const char *
refusal(enum stored how)
{
	switch (how) {
	case STORED:
	case STORED_LATER:
		return NULL;
	case STORED_FULL:
		return "the session has all it may have";
	case STORED_STALE:
		return "the session is over";
	}
	panic("stored %d", (int)how);
}

static void
say(struct dispatcher *d, const struct evidence *e, enum stored how)
{
	char text[UUID_LEN + 1];

	if (how == STORED_STALE) {
		uuid_print(&e->session, text);
		log_event(LOGP_WARNING, "evidence", "session=%s why=\"not taken\"", text);
	}
	if (e->kind == EVIDENCE_SHOT)
		answer(held_find(d, &e->session, e->epoch), e->shot.uuid, refusal(how));
}

void
evidence_flush(struct dispatcher *d)
{
	struct evidence *e;
	enum stored how;

	while ((e = TAILQ_FIRST(&d->evidence)) != NULL) {
		how = store(d, e);
		if (how == STORED_LATER)
			return;
		say(d, e, how);
		TAILQ_REMOVE(&d->evidence, e, next);
		d->waiting--;
		d->waiting_bytes -= e->bytes;
		free(e);
	}
}

/* ---- what comes ---- */

static void
queue_shot(struct held *h, const struct runner_shot *shot,
    const unsigned char sha256[EVIDENCE_HASH_LEN], size_t n)
{
	struct evidence *e = evidence_new(h, EVIDENCE_SHOT,
	    shot->mime.n + shot->reason.n + shot->url.n + shot->title.n);
	char *to = (char *)(e + 1);

	e->shot = (struct shot_row){ .uuid = shot->id,
		.bytes = (int64_t)n,
		.width = shot->width,
		.height = shot->height,
		.tab = shot->tab,
		.mime = shot->mime,
		.reason = shot->reason,
		.url = shot->url,
		.title = shot->title,
		.taken_at = shot->taken_at };
	memcpy(e->shot.sha256, sha256, sizeof(e->shot.sha256));
	keep(&to, &e->shot.mime);
	keep(&to, &e->shot.reason);
	keep(&to, &e->shot.url);
	keep(&to, &e->shot.title);
	queue(h->d, e);
}

static const char *
room_fault(struct held *h, size_t n)
{
	enum stored how = store_room(h->d, h, n);

	if (how == STORED_LATER && h->d->waiting >= SHOTS_WAITING_MAX)
		return "too much waits for the database";
	return refusal(how);
}

static const char *
shot_fault(struct held *h, const struct runner_shot *shot, int fd)
{
	unsigned char sha256[EVIDENCE_HASH_LEN];
	size_t n = 0;
	const unsigned char *image = fd < 0 ? NULL : image_map(fd, &n);
	const char *fault = NULL;

	if (image == NULL)
		return "no sealed image of at most 16 MiB";
	if (!image_is(image, n, shot->mime))
		fault = "the image is not of its type";
	else
		fault = room_fault(h, n);
	SHA256(image, n, sha256);
	if (fault == NULL && !image_store(image, n, sha256)) {
		log_event(LOGP_ERR, "evidence", "why=\"%s: %s\"", conf.evidence_directory,
		    strerror(errno));
		fault = "it cannot be stored";
	}
	munmap((void *)(uintptr_t)image, n);
	if (fault == NULL)
		queue_shot(h, shot, sha256, n);
	return fault;
}

void
evidence_shot(struct held *h, const struct runner_shot *shot, int fd)
{
	const char *fault = shot_fault(h, shot, fd);

	if (fd >= 0)
		close(fd);
	if (fault != NULL)
		answer(h, shot->id, fault);
}

/* Where there is no room for them, the mark says that there were more. */
void
evidence_events(struct held *h, struct strs docs)
{
	size_t room = docs.n * sizeof(struct str);
	struct evidence *e;
	struct str *copies;
	char *to;

	for (size_t i = 0; i < docs.n; i++)
		room += docs.p[i].n;
	if (!has_room(h->d, room)) {
		evidence_truncated(h);
		return;
	}
	e = evidence_new(h, EVIDENCE_EVENTS, room);
	copies = (struct str *)(void *)(e + 1);
	to = (char *)(copies + docs.n);
	for (size_t i = 0; i < docs.n; i++) {
		copies[i] = docs.p[i];
		keep(&to, &copies[i]);
	}
	e->docs = (struct strs){ copies, docs.n };
	queue(h->d, e);
}

void
evidence_truncated(struct held *h)
{
	const struct evidence *last = TAILQ_LAST(&h->d->evidence, pieces);

	if (last == NULL || last->kind != EVIDENCE_TRUNCATED ||
	    uuid_cmp(&last->session, &h->row.uuid) != 0)
		queue(h->d, evidence_new(h, EVIDENCE_TRUNCATED, 0));
}
