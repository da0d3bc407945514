/* SPDX-License-Identifier: ISC */
/* Passwords of people: the rules for new ones, and the form in which they are stored (NIST SP
   800-63B-4, OWASP).

     typed --password_compose--> NFC --password_fault--> stored by password_hash as
                                          $argon2id$v=19$m=65536,t=2,p=1$<salt>$<hash>

   The memory of argon2id is one mapping that is made when a process starts, so that a sign-in
   cannot fail for lack of address space. Its pages are taken when a password is hashed and
   returned to the kernel afterwards, so a worker that hashes no password takes no memory. Only
   password.c uses libargon2. */
#ifndef ACCESS_PASSWORD_H
#define ACCESS_PASSWORD_H

#include "access/key.h"
#include "json/json.h"

enum {
	PASSWORD_MAX = 128, /* characters in NFC */
	/* The most characters that a client may send: it may decompose each into four. */
	PASSWORD_TYPED_MAX = 4 * PASSWORD_MAX,
	PASSWORD_TEXT = 120,           /* the longest text that password_hash writes */
	PASSWORD_MEMORY_MAX = 1048576, /* KiB */
	PASSWORD_PASSES_MAX = 64,
};

struct password_rules {
	int64_t memory, passes; /* the costs of argon2id; memory in KiB */
	int64_t shortest;       /* characters */
	const char *list;       /* path of the list of common passwords; "": none */
};

/* The memory of a process for hashes, and the list of common passwords. */
struct passwords;
/* Reads the list and maps the memory. Returns NULL with a reason in err when one of them fails. */
struct passwords *passwords_open(const struct password_rules *rules, char *err, size_t room);
void passwords_close(struct passwords *p);

/* Converts a typed password to NFC, because keyboards encode the same character in different ways.
   typed is valid UTF-8. */
struct secret password_compose(struct arena *a, struct str typed);
/* Returns true when the composed password is refused; *why then has the code and the message, and
   the caller adds the member. email: the address of the person, or "". */
bool password_fault(const struct passwords *p, struct arena *a, struct secret composed,
    struct str email, struct field_error *why) MUST_USE;

enum password_rc {
	PASSWORD_WRONG,
	PASSWORD_RIGHT,
	/* right, but stored with lower costs than the rules demand: store it again */
	PASSWORD_WEAK,
	/* no memory for a hash that was stored with higher costs; the reason is in the log */
	PASSWORD_FAILED,
};

/* Writes the text to store. */
void password_hash(struct passwords *p, struct secret composed, char out[PASSWORD_TEXT + 1]);
/* Compares a password with a stored text. When stored is "", the same work is done and the password
   is wrong, so that the time does not show whether the person has a password. */
enum password_rc password_verify(
    struct passwords *p, struct secret composed, struct str stored) MUST_USE;

/* ---- for tests ---- */

/* Parses a stored text. Returns false unless the text has the form that password_hash writes. */
struct password_stored {
	uint32_t memory, passes;
	unsigned char salt[16], hash[32];
};
bool password_parse(struct str stored, struct password_stored *out) MUST_USE;

#endif
