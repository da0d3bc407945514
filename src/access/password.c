/* SPDX-License-Identifier: ISC */
/* Judges, hashes and compares passwords; access/password.h has the form of what is stored. */
#include "config.h"

#include <argon2.h>
#include <openssl/crypto.h>
#include <sys/mman.h>
#include <utf8proc.h>

#include "access/password_priv.h"

#include <errno.h>
#include <inttypes.h>

enum { REPEATED_MAX = 4, SALT_TEXT = 22, HASH_TEXT = 43 };

struct passwords {
	struct password_rules rules;
	struct password_list list;
	unsigned char *memory;
	size_t size;
};

/* The memory for the hash that is being computed. It is global because libargon2 passes no argument
   to its allocators. */
static const struct passwords *hashing;

static unsigned char *
map_memory(size_t size)
{
	void *p = mmap(
	    NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

struct passwords *
passwords_open(const struct password_rules *rules, char *err, size_t room)
{
	struct passwords *p = mem_zero(sizeof(*p));

	p->rules = *rules;
	p->size = (size_t)rules->memory * 1024;
	p->memory = map_memory(p->size);
	if (p->memory == NULL)
		snprintf(err, room, "password_memory of %" PRId64 " KiB: %s", rules->memory,
		    strerror(errno));
	else if (rules->list[0] == '\0' || password_list_read(rules->list, &p->list, err, room))
		return p;
	passwords_close(p);
	return NULL;
}

void
passwords_close(struct passwords *p)
{
	if (p == NULL)
		return;
	if (p->memory != NULL)
		munmap(p->memory, p->size);
	password_list_free(&p->list);
	free(p);
}

/* ---- rules for new passwords ---- */

struct secret
password_compose(struct arena *a, struct str typed)
{
	utf8proc_uint8_t *made = NULL;
	utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)typed.p,
	    (utf8proc_ssize_t)typed.n, &made, UTF8PROC_STABLE | UTF8PROC_COMPOSE);
	struct secret out;

	if (n < 0)
		panic("a password is no UTF-8"); /* UNCOVERED: json_decode refuses it before */
	out.hidden = arena_str(a, (struct str){ (const char *)made, (size_t)n });
	OPENSSL_cleanse(made, (size_t)n);
	free(made);
	return out;
}

/* Returns the offset of character i, or the length of the text. */
static size_t
char_offset(struct str s, size_t i)
{
	return str_cut(s, i).n;
}

/* Whether the text repeats its first 1 to 4 characters. The last repetition may be incomplete. */
static bool
is_repetition(struct str s)
{
	for (size_t i = 1; i <= REPEATED_MAX; i++) {
		size_t n = char_offset(s, i);

		if (n < s.n && memcmp(s.p, s.p + n, s.n - n) == 0)
			return true;
	}
	return false;
}

/* Whether the text is the e-mail address, or the part before its '@'. */
static bool
is_email(struct arena *a, struct str folded, struct str email)
{
	struct str rest = email, name = str_until(&rest, '@');

	return email.n > 0 && (str_eq(folded, password_fold(arena_alloc(a, email.n + 1), email)) ||
				  str_eq(folded, password_fold(arena_alloc(a, name.n + 1), name)));
}

bool
password_fault(const struct passwords *p, struct arena *a, struct secret composed, struct str email,
    struct field_error *why)
{
	struct str s = composed.hidden;
	struct str folded = password_fold(arena_alloc(a, s.n + 1), s);
	size_t chars = str_chars(s);

	why->code = STR("not_allowed");
	if ((int64_t)chars < p->rules.shortest) {
		why->code = STR("too_short");
		why->message =
		    arena_printf(a, "must have at least %" PRId64 " characters", p->rules.shortest);
	} else if (chars > PASSWORD_MAX) {
		why->code = STR("too_long");
		why->message = arena_printf(a, "must have at most %d characters", PASSWORD_MAX);
	} else if (is_repetition(s) || is_repetition(folded))
		why->message = STR("must not repeat a few characters");
	else if (is_email(a, folded, email))
		why->message = STR("must not be the e-mail address");
	else if (password_list_has(&p->list, folded))
		why->message = STR("is a password that many people use; choose another one");
	else
		return false;
	return true;
}

/* ---- stored hashes ---- */

/* The unpadded base64 of PHC strings has '+' and '/' where base64url has '-' and '_'. */
static char *
print_hash_part(char *at, const unsigned char *bytes, size_t n)
{
	size_t made = base64url_print(at, bytes, n);

	for (size_t i = 0; i < made; i++)
		at[i] = at[i] == '-' ? '+' : at[i] == '_' ? '/' : at[i];
	return at + made;
}

static bool
parse_part(struct str text, unsigned char *out, size_t want)
{
	char room[HASH_TEXT];
	size_t n;

	if (text.n > sizeof(room))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '-' || c == '_')
			return false;
		room[i] = c == '+' ? '-' : c == '/' ? '_' : c;
	}
	return base64url_parse((struct str){ room, text.n }, out, want, &n) && n == want;
}

/* Parses "m=65536", where name is "m=". */
static bool
parse_cost(struct str text, struct str name, int64_t most, uint32_t *out)
{
	int64_t n;

	if (!str_starts(text, name) ||
	    !str_int64((struct str){ text.p + name.n, text.n - name.n }, &n) || n < 1 || n > most ||
	    text.p[name.n] == '0')
		return false;
	*out = (uint32_t)n;
	return true;
}

bool
password_parse(struct str stored, struct password_stored *out)
{
	struct str rest = stored, costs, part;

	if (!str_starts(stored, STR("$argon2id$v=19$")))
		return false;
	rest = (struct str){ stored.p + 15, stored.n - 15 };
	costs = str_until(&rest, '$');
	part = str_until(&costs, ',');
	if (!parse_cost(part, STR("m="), PASSWORD_MEMORY_MAX, &out->memory) || out->memory < 8)
		return false;
	part = str_until(&costs, ',');
	if (!parse_cost(part, STR("t="), PASSWORD_PASSES_MAX, &out->passes) ||
	    !str_is(costs, "p=1"))
		return false;
	part = str_until(&rest, '$');
	return parse_part(part, out->salt, sizeof(out->salt)) &&
	       parse_part(rest, out->hash, sizeof(out->hash));
}

/* A hash that was stored when password_memory was larger gets a mapping of its own. */
static int
take_memory(uint8_t **memory, size_t n)
{
	*memory = n <= hashing->size ? hashing->memory : map_memory(n);
	return *memory == NULL ? ARGON2_MEMORY_ALLOCATION_ERROR : ARGON2_OK;
}

/* Returns the pages to the kernel. libargon2 has wiped them. */
static void
give_memory(uint8_t *memory, size_t n)
{
	if (memory != hashing->memory)
		munmap(memory, n);
	else if (madvise(memory, n, MADV_DONTNEED) != 0)
		panic("madvise: %s", strerror(errno)); /* UNCOVERED: the mapping is ours */
}

/* Computes h->hash of the password from the costs and the salt in h. */
static bool
compute_hash(const struct passwords *p, struct secret composed, struct password_stored *h)
{
	struct str s = composed.hidden;
	argon2_context context = {
		.out = h->hash,
		.outlen = sizeof(h->hash),
		.pwd = (uint8_t *)(uintptr_t)s.p,
		.pwdlen = (uint32_t)s.n,
		.salt = h->salt,
		.saltlen = sizeof(h->salt),
		.t_cost = h->passes,
		.m_cost = h->memory,
		.lanes = 1,
		.threads = 1,
		.version = ARGON2_VERSION_13,
		.allocate_cbk = take_memory,
		.free_cbk = give_memory,
		.flags = ARGON2_DEFAULT_FLAGS,
	};
	int rc;

	hashing = p;
	rc = argon2_ctx(&context, Argon2_id);
	hashing = NULL;
	if (rc != ARGON2_OK && rc != ARGON2_MEMORY_ALLOCATION_ERROR)
		panic("argon2: %s", argon2_error_message(rc)); /* UNCOVERED: arguments are ours */
	return rc == ARGON2_OK;
}

static struct password_stored
new_stored(const struct passwords *p)
{
	struct password_stored h = { .memory = (uint32_t)p->rules.memory,
		.passes = (uint32_t)p->rules.passes };

	random_bytes(h.salt, sizeof(h.salt));
	return h;
}

void
password_hash(struct passwords *p, struct secret composed, char out[PASSWORD_TEXT + 1])
{
	struct password_stored h = new_stored(p);
	char *at = out;

	if (!compute_hash(p, composed, &h))
		panic("argon2id got no memory"); /* UNCOVERED: the mapping was made at start */
	at += snprintf(at, PASSWORD_TEXT - SALT_TEXT - HASH_TEXT,
	    "$argon2id$v=19$m=%" PRIu32 ",t=%" PRIu32 ",p=1$", h.memory, h.passes);
	at = print_hash_part(at, h.salt, sizeof(h.salt));
	*at++ = '$';
	print_hash_part(at, h.hash, sizeof(h.hash));
	OPENSSL_cleanse(&h, sizeof(h));
}

enum password_rc
password_verify(struct passwords *p, struct secret composed, struct str stored)
{
	struct password_stored want, made;
	bool there = stored.n > 0, same;

	if (there && !password_parse(stored, &want)) {
		log_event(LOGP_ERR, "password", "why=\"a stored password has no known form\"");
		there = false;
	}
	made = there ? want : new_stored(p);
	if (!compute_hash(p, composed, &made)) {
		log_event(
		    LOGP_ERR, "password", "why=\"no memory\" kibibytes=%" PRIu32, made.memory);
		return PASSWORD_FAILED;
	}
	same = there && CRYPTO_memcmp(made.hash, want.hash, sizeof(want.hash)) == 0;
	OPENSSL_cleanse(made.hash, sizeof(made.hash));
	if (!same)
		return PASSWORD_WRONG;
	return want.memory < p->rules.memory || want.passes < p->rules.passes ? PASSWORD_WEAK
									      : PASSWORD_RIGHT;
}
