/* SPDX-License-Identifier: ISC */
/* Checks, hashes and verifies the passwords in requests (access/password.h). */
#include "config.h"

#include "api/people/people.h"
#include "daemon/conf.h"
#include "daemon/daemon.h"

int
hash_begin(struct req *rq)
{
	return daemon_hash_begin(&rq->hash, conf.password_parallel)
		   ? PASS
		   : fail(rq, ERR_SERVICE_UNAVAILABLE);
}

void
hash_end(void)
{
	daemon_hash_end();
}

int
password_prepare(struct req *rq, struct str typed, struct str email, struct str *stored)
{
	struct secret composed = password_compose(rq->arena, typed);
	struct body_faults *faults = ARENA_NEW(rq->arena, struct body_faults);
	char text[PASSWORD_TEXT + 1];
	struct field_error why;

	if (rq->worker->passwords == NULL)
		return fail(rq, ERR_SERVICE_UNAVAILABLE);
	if (password_fault(rq->worker->passwords, rq->arena, composed, email, &why)) {
		why.field = STR("password");
		faults->rows[faults->n++] = why;
		return fail_faults(rq, faults);
	}
	if (hash_begin(rq) != PASS)
		return FAILED;
	password_hash(rq->worker->passwords, composed, text);
	hash_end();
	*stored = arena_str(rq->arena, str_of(text));
	return PASS;
}
