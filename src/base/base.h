/* SPDX-License-Identifier: ISC */
/* What every directory may use: values, request memory, text, time, logging, configuration. */
#ifndef BASE_BASE_H
#define BASE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/* Functions whose bounds or state nobody can see at the call: they do not compile (rule 13). */
#ifndef BASE_ALLOW_BANNED
#pragma GCC poison strcpy strcat sprintf vsprintf strtok ctime asctime gmtime localtime  \
    rand srand gets
#endif

/* Our own fault: logs where, with a backtrace, and ends this process; a parent replaces it. */
_Noreturn void panic(const char *fmt, ...) PRINTF(1, 2);

/* ---- counted strings: plain values, never owning; p is not necessarily NUL-terminated ---- */

struct str {
	const char *p;
	size_t n;
};

#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })
#define STR_INIT(literal)                                                                \
	{                                                                                \
		"" literal, sizeof(literal) - 1                                          \
	} /* in static tables */
#define STR_NULL ((struct str){ NULL, 0 })

struct str str_of(const char *z); /* z may be NULL: STR_NULL */
bool str_eq(struct str a, struct str b);
bool str_is(struct str a, const char *z);
int str_cmp(struct str a, struct str b); /* by bytes, shorter first */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
bool str_within(struct str host, struct str zone); /* the zone, or below it: its labels */
struct str str_lower_ascii(char *room, struct str s); /* room holds s.n bytes */
/* Removes Unicode White_Space at both ends; s must be valid UTF-8 (C-034). */
struct str str_trim(struct str s);
/* Code points of a valid UTF-8 text. */
size_t str_chars(struct str s);
/* The first of a valid UTF-8 text: at most that many code points, or those that fit into bytes. */
struct str str_cut(struct str s, size_t chars);
struct str str_cut_bytes(struct str s, size_t bytes);
/* The next line, without its end, off *rest; false when nothing is left. */
bool str_line(struct str *rest, struct str *line);
/* Offset of the first byte that is not well-formed UTF-8 (RFC 3629), or s.n. */
size_t str_utf8_bad(struct str s);
/* Decimal of the whole text with optional '-': false when it is no int64. */
bool str_int64(struct str s, int64_t *out) MUST_USE;
/* Bytes as lower-case hexadecimal; out holds 2n+1. */
void hex_print(char *out, const unsigned char *bytes, size_t n);
/* Back again: false when s is not n bytes in that form. */
bool hex_parse(struct str s, unsigned char *out, size_t n) MUST_USE;
/* Unpadded URL-safe base64 (RFC 4648 section 5). Returns the length written; out holds 4*((n+2)/3)+1. */
size_t base64url_print(char *out, const unsigned char *bytes, size_t n);
/* Padded base64 (RFC 4648 section 4): false when s is not canonical or is longer than room. */
bool base64_parse(struct str s, unsigned char *out, size_t room, size_t *n) MUST_USE;
/* False when s is no canonical unpadded base64url or is longer than room; *n gets the length. */
bool base64url_parse(struct str s, unsigned char *out, size_t room, size_t *n) MUST_USE;

/* ---- the known name that a mistaken one was probably meant to be ---- */

enum { GUESS_MAX = 128 }; /* bytes of a name; there are no guesses for longer ones */

struct guess {
	const char *found; /* the nearest name so far; NULL: none is near */
	unsigned distance; /* of that name, in edits */
	struct str name;   /* the mistaken name in lower case */
	char room[GUESS_MAX];
};

void guess_begin(struct guess *g, struct str name);
/* Compares the mistaken name with text, which is known or a part of it, and keeps the nearest. */
void guess_try(struct guess *g, struct str text, const char *known);

/* ---- memory of the process: never NULL, given back by free() ---- */

void *mem_alloc(size_t n);
void *mem_zero(size_t n);
void *mem_array(size_t count, size_t size); /* zeroed, with room for one more */
void *mem_grow(void *p, size_t n);
char *mem_text(const char *z); /* a copy */

/* ---- descriptors ---- */

void fd_close(int fd); /* unless it is negative; errno stays */
/* Connected to the Unix socket at path; type as for socket(2), closed on exec. -1 with errno. */
int fd_connect(const char *path, int type);
/* Whether a stream socket listens at path, though its queue be full. Else errno. */
bool local_listens(const char *path);
/* Opened, flags as for open(2), and locked until it is closed. -1 with errno; EWOULDBLOCK: another has it. */
int fd_lock(const char *path, int flags) MUST_USE;

/* ---- memory of one request: never NULL, never freed piecemeal; all zeroed ---- */

struct arena;

/* cap: bytes one request may take; more is our bug (inputs are bounded first): panic. */
struct arena *arena_new(size_t cap);
void *arena_alloc(struct arena *a, size_t n);
void *arena_array(struct arena *a, size_t count, size_t size); /* panics on overflow */
struct str arena_str(
    struct arena *a, struct str s); /* a copy, NUL-terminated behind its n bytes */
struct str arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);
/* fn(arg) runs at the next reset, last first. */
void arena_defer(struct arena *a, void (*fn)(void *), void *arg);
void arena_reset(struct arena *a);
void arena_free(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, count, type) ((type *)arena_array((a), (count), sizeof(type)))

/* ---- append-only output: in an arena, or owned (a NULL: end with buf_free) ---- */

struct buf {
	struct arena *a;
	char *p;
	size_t n, room;
};

void buf_add(struct buf *b, const void *bytes, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_z(struct buf *b, const char *z);
void buf_char(struct buf *b, char c);
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
struct str buf_done(const struct buf *b); /* a view, valid until the next append */
void buf_clear(struct buf *b);
void buf_free(struct buf *b);
/* Nothing was written to it, or put in its place, in between. */
struct stat;
bool file_same(const struct stat *a, const struct stat *b);
/* Appends a file's content; more than most bytes are EFBIG. False with errno, and a part may be there. */
bool file_read(const char *path, size_t most, struct buf *b) MUST_USE;

/* ---- the two types every record has ---- */

struct uuid {
	unsigned char b[16];
};

#define UUID_LEN 36
bool uuid_parse(
    struct str s, struct uuid *out) MUST_USE; /* any case, 8-4-4-4-12 only (C-020) */
void uuid_print(const struct uuid *u, char out[UUID_LEN + 1]); /* lower case */

struct uuid_text {
	char z[UUID_LEN + 1];
};

struct uuid_text uuid_text(const struct uuid *u);
struct str arena_uuid(struct arena *a, const struct uuid *u); /* ends in NUL */
struct uuid uuid_random(void);                                /* version 4 */
int uuid_cmp(const struct uuid *a, const struct uuid *b);

/* Microseconds since 1970-01-01T00:00:00Z; TS_NULL is "unset". */
struct ts {
	int64_t us;
};

#define SECOND_US INT64_C(1000000)
#define DAY_US (86400 * SECOND_US)
#define TS_NULL ((struct ts){ INT64_MIN })
#define TS_LEN 27
/* The years 0001 to 9999: what ts_parse reads and ts_print prints. */
#define TS_OLDEST_US (-62135596800000000)
#define TS_NEWEST_US 253402300799999999
bool ts_is_null(struct ts t);
bool ts_is_printable(struct ts t);
int ts_cmp(struct ts a, struct ts b);
/* RFC 3339 with an offset, real calendar days (C-081), printable in UTC. Finer than 1 us is cut. */
bool ts_parse(struct str s, struct ts *out) MUST_USE;
/* YYYY-MM-DD: midnight UTC. */
bool ts_parse_date(struct str s, struct ts *out) MUST_USE;
/* 2026-01-02T03:04:05.123456Z: one precision everywhere (C-120). Of what is printable. */
void ts_print(struct ts t, char out[TS_LEN + 1]);
struct ts ts_now(void); /* the wall clock */
int64_t mono_us(void);  /* a clock that only goes forward */
int64_t boot_us(void);  /* likewise; it also counts while the machine is suspended */
int64_t cpu_us(void);   /* CPU time of this thread; a system call, unlike mono_us() */
/* Whether it is time; then the next one is as much later. 0: at once. */
bool mono_due(int64_t *at, int64_t every);
void random_bytes(void *out, size_t n); /* from the kernel; cannot fail */

/* ---- one line an event, on stderr, with the journal's <priority> prefix (rule 18) ---- */

enum log_prio {
	LOGP_ERR = 3,
	LOGP_WARNING = 4,
	LOGP_NOTICE = 5,
	LOGP_INFO = 6,
	LOGP_DEBUG = 7
};

/* fmt gives "key=value key=value"; control characters are written as '?'. */
void log_event(enum log_prio prio, const char *event, const char *fmt, ...) PRINTF(3, 4);

struct log_text {
	char z[256];
};

/* What somebody else chose, for between the quotes of a value: cut, and nothing in it ends the value. */
struct log_text log_text(struct str s);

/* ---- configuration: tbl/params.h is the list ---- */

#define PARAM_TYPE_text const char *
#define PARAM_TYPE_path const char *
#define PARAM_TYPE_number int64_t
#define PARAM_TYPE_ms int64_t
#define PARAM_TYPE_seconds int64_t
#define PARAM_TYPE_bytes int64_t

struct conf {
#define PARAM(name, type, def, lo, hi, help) PARAM_TYPE_##type name;
#include "tbl/params.h"
#undef PARAM
};

/* const after start but for SIGHUP's reload; the only global besides the log and the stop flag. */
extern struct conf conf;

/* Defaults, then "name = value" lines of the file (NULL: defaults alone). On failure false and
   "file:line: what" in err. */
bool conf_load(const char *file, char *err, size_t room) MUST_USE;
/* One line a parameter: name, type, default, bounds, help. For surfaced -D params. */
void conf_describe(FILE *out);

#endif
