/* SPDX-License-Identifier: ISC */
/* Passwords of people: what may be one, and how it is stored (NIST SP 800-63B-4, OWASP).

     typed --password_compose--> NFC --password_fault--> stored by password_hash as
                                          $argon2id$v=19$m=65536,t=2,p=1$<salt>$<hash>

   The memory of argon2id is one mapping, made when a process starts, so that a sign-in cannot fail
   because the machine has no address space left. Its pages come with the first password and go back
   to the kernel after each one: a worker that hashes nothing needs nothing. Only password.c uses
   libargon2. */
#ifndef ACCESS_PASSWORD_H
#define ACCESS_PASSWORD_H

#include "access/key.h"
#include "json/json.h"

enum {
	PASSWORD_MAX = 128, /* characters in NFC */
	/* Characters that a client may send, since it may decompose each into four. */
	PASSWORD_TYPED_MAX = 4 * PASSWORD_MAX,
	PASSWORD_TEXT = 120,           /* the most that password_hash writes */
	PASSWORD_MEMORY_MAX = 1048576, /* KiB */
	PASSWORD_PASSES_MAX = 64,
};

struct password_rules {
	int64_t memory, passes; /* the costs of argon2id; memory in KiB */
	int64_t shortest;       /* characters */
	const char *list;       /* path of the list of common passwords; "": none */
};

/* A process's memory for hashes, and the list. */
struct passwords;
/* NULL with a reason: the list cannot be read, or the memory cannot be had. */
struct passwords *passwords_open(const struct password_rules *rules, char *err, size_t room);
void passwords_close(struct passwords *p);

/* Composes what a person has typed: two keyboards that spell a character in different ways give one
   password. typed is valid UTF-8. */
struct secret password_compose(struct arena *a, struct str typed);
/* True: the composed password may not be one, and *why has code and message, for a member that the
   caller names. email: of the person, "" if there is none. */
bool password_fault(const struct passwords *p, struct arena *a, struct secret composed,
    struct str email, struct field_error *why) MUST_USE;

enum password_rc {
	PASSWORD_WRONG,
	PASSWORD_RIGHT,
	PASSWORD_WEAK,   /* right, and stored with less work than the rules want: store it anew */
	PASSWORD_FAILED, /* no memory for a hash that was stored with more work; it is logged */
};

/* Writes the text to store. */
void password_hash(struct passwords *p, struct secret composed, char out[PASSWORD_TEXT + 1]);
/* Compares with a stored text. Without one ("") the same work is done and the password is wrong, so
   that the time does not show whether there is one. */
enum password_rc password_verify(
    struct passwords *p, struct secret composed, struct str stored) MUST_USE;

/* ---- for tests ---- */

/* Parses a stored text; false: it is none that password_hash writes. */
struct password_stored {
	uint32_t memory, passes;
	unsigned char salt[16], hash[32];
};
bool password_parse(struct str stored, struct password_stored *out) MUST_USE;

#endif
