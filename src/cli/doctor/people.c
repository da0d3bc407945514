/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: can people sign in by every method that they have set up? Passkeys and links
   need public_url, and secrets of one-time codes need the keys that have sealed them. */
#include "config.h"

#include <openssl/crypto.h>

#include "access/seal.h"
#include "cli/doctor/people.h"
#include "cli/secrets.h"
#include "daemon/conf.h"

void
doctor_public_url(struct doctor *d)
{
	const struct program *api = &d->programs[PROGRAM_API];
	const char *url = api->conf.public_url;

	if (!api->good)
		return;
	if (url[0] == '\0')
		doctor_report(d, HEALTH_WARNING, "public_url", DO_WITH(SET_PUBLIC_URL, d->etc.p),
		    "it is not set: there are no passkeys, and invitations are tokens without a "
		    "link");
	else if (strcmp(url, conf.public_url) != 0)
		doctor_report(d, HEALTH_FAILED, "public_url",
		    DO_WITH(SET_SAME, "public_url", d->etc.p), "surfaced reads %s, surfacectl %s",
		    url, conf.public_url[0] == '\0' ? "nothing" : conf.public_url);
	else
		doctor_report(d, HEALTH_OK, "public_url", NO_ADVICE, "%s", url);
}

/* doctor_secrets reports a file that is missing. */
void
doctor_sealed(struct doctor *d)
{
	const char *path = doctor_conf(d, PROGRAM_API)->sign_in_keys;
	const struct sealed_secrets *s;
	struct signing_keys keys;
	struct list sealed;
	size_t lost = 0;
	char err[512];

	if (!d->database || !signing_keys_read(SIGN_IN_FILE(path), &keys, err, sizeof(err)) ||
	    sealed_list(d->c, &sealed) != DB_OK)
		return;
	s = sealed.items;
	for (size_t i = 0; i < sealed.n; i++) {
		if (signing_key_find(&keys, s[i].kid) != NULL)
			continue;
		lost++;
		doctor_report(d, HEALTH_FAILED, "sealed", DO_WITH(RESTORE_SIGN_IN_KEYS, path),
		    "%jd secrets of one-time codes are sealed with the key %.*s, which %s lacks: "
		    "their people cannot sign in with codes",
		    (intmax_t)s[i].secrets, (int)s[i].kid.n, s[i].kid.p, path);
	}
	if (lost == 0)
		doctor_report(d, HEALTH_OK, "sealed", NO_ADVICE,
		    "each secret of one-time codes can be opened with %s", path);
	OPENSSL_cleanse(&keys, sizeof(keys));
}
