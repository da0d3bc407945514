/* SPDX-License-Identifier: ISC */
/* Passwords of people, as requests bring them (access/password.h). */
#include "config.h"

#include "api/people.h"

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
	password_hash(rq->worker->passwords, composed, text);
	*stored = arena_str(rq->arena, str_of(text));
	return PASS;
}
