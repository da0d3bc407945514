/* SPDX-License-Identifier: ISC */
/* Unpacks gzip and zstd by the same functions. Both libraries are called with a piece of input and
   room for output until the input is used up. The bytes that were unpacked before a fault are
   returned, so that the records before it are imported. */
#include "config.h"

#include "cli/import/unpack.h"

#define ZLIB_CONST /* next_in points to const bytes */
#include <zlib.h>
#include <zstd.h>

struct unpack {
	const char *fault;
	uint64_t in, out;
	bool inside; /* a member or frame has begun and not ended */
	ZSTD_DStream *zstd;
	z_stream gzip; /* without .zstd */
};

static const struct {
	struct str head;
	const char *fault;
} unknown[] = {
	{ STR_INIT("\xfd"
		   "7zX"),
	    "is compressed by xz; unpack it first (xz -dc FILE | surfacectl import ... -)" },
	{ STR_INIT("BZh"), "is compressed by bzip2; unpack it first "
			   "(bzip2 -dc FILE | surfacectl import ... -)" },
	{ STR_INIT("PK\x03\x04"), "is a zip archive; unpack it first" },
	{ STR_INIT("\x04\x22\x4d\x18"),
	    "is compressed by lz4; unpack it first (lz4 -dc FILE | surfacectl import ... -)" },
};

static struct unpack *
unpack_gzip(void)
{
	struct unpack *u = mem_zero(sizeof(*u));

	if (inflateInit2(&u->gzip, 15 + 16) != Z_OK) /* the largest window, and gzip's header */
		panic("inflateInit2 failed");
	return u;
}

static struct unpack *
unpack_zstd(void)
{
	struct unpack *u = mem_zero(sizeof(*u));

	u->zstd = ZSTD_createDStream();
	if (u->zstd == NULL)
		panic("ZSTD_createDStream failed");
	return u;
}

struct unpack *
unpack_new(struct str head, const char **fault)
{
	*fault = NULL;
	if (str_starts(head, STR("\x1f\x8b")))
		return unpack_gzip();
	if (str_starts(head, STR("\x28\xb5\x2f\xfd")))
		return unpack_zstd();
	/* a frame of zstd that is skipped may come first: 50 to 5f, 2a 4d 18 */
	if (head.n >= 4 && (head.p[0] & 0xf0) == 0x50 && memcmp(head.p + 1, "\x2a\x4d\x18", 3) == 0)
		return unpack_zstd();
	for (size_t i = 0; i < COUNT(unknown); i++)
		if (str_starts(head, unknown[i].head))
			*fault = unknown[i].fault;
	return NULL;
}

void
unpack_free(struct unpack *u)
{
	if (u == NULL)
		return;
	if (u->zstd != NULL)
		ZSTD_freeDStream(u->zstd);
	else
		inflateEnd(&u->gzip);
	free(u);
}

/* Between two members: a new one begins, or padding follows to the end. */
static void
begin_member(struct unpack *u, struct str *in)
{
	while (u->out > 0 && in->n > 0 && in->p[0] == '\0') {
		in->p++;
		in->n--;
	}
	if (in->n == 0)
		return;
	if (inflateReset(&u->gzip) != Z_OK)
		panic("inflateReset failed");
	u->inside = true;
}

static size_t
inflate_bytes(struct unpack *u, struct str *in, char *out, size_t room)
{
	int rc;

	if (!u->inside)
		begin_member(u, in);
	if (!u->inside)
		return 0;
	u->gzip.next_in = (const Bytef *)in->p;
	u->gzip.avail_in = (uInt)in->n;
	u->gzip.next_out = (Bytef *)out;
	u->gzip.avail_out = (uInt)room;
	rc = inflate(&u->gzip, Z_NO_FLUSH);
	in->p += in->n - u->gzip.avail_in;
	in->n = u->gzip.avail_in;
	if (rc == Z_STREAM_END)
		u->inside = false;
	else if (rc != Z_OK && rc != Z_BUF_ERROR)
		u->fault = "is damaged: its gzip data cannot be unpacked any further";
	return room - u->gzip.avail_out;
}

static size_t
decompress_bytes(struct unpack *u, struct str *in, char *out, size_t room)
{
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer to = { out, room, 0 };
	size_t rc = ZSTD_decompressStream(u->zstd, &to, &from);

	in->p += from.pos;
	in->n -= from.pos;
	if (ZSTD_isError(rc))
		u->fault = "is damaged: its zstd data cannot be unpacked any further";
	else if (from.pos > 0 || to.pos > 0) /* without input, rc is a hint about the next frame */
		u->inside = rc != 0;
	return to.pos;
}

size_t
unpack_bytes(struct unpack *u, struct str *in, char *out, size_t room)
{
	size_t before = in->n, n;

	if (u->fault != NULL)
		return 0;
	n = u->zstd != NULL ? decompress_bytes(u, in, out, room) : inflate_bytes(u, in, out, room);
	u->in += before - in->n;
	u->out += n;
	if (u->fault == NULL && u->out > UNPACK_FREE && u->out / UNPACK_RATIO > u->in)
		u->fault =
		    "unpacks to more than 1000 times its size, which no list of records does";
	return n;
}

void
unpack_end(struct unpack *u)
{
	if (u->inside && u->fault == NULL)
		u->fault = "is cut off: its compressed data ends too early";
}

const char *
unpack_fault(const struct unpack *u)
{
	return u->fault;
}
