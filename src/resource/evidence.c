/* SPDX-License-Identifier: ISC */
/* Paths of evidence images. */
#include "config.h"

#include "daemon/conf.h"
#include "resource/evidence.h"

bool
evidence_path(const unsigned char sha256[EVIDENCE_HASH_LEN], struct evidence_path *out)
{
	char hex[2 * EVIDENCE_HASH_LEN + 1];
	const char *top = conf.evidence_directory;

	hex_print(hex, sha256, EVIDENCE_HASH_LEN);
	snprintf(out->outer, sizeof(out->outer), "%s/%.2s", top, hex);
	snprintf(out->inner, sizeof(out->inner), "%s/%.2s/%.2s", top, hex, hex + 2);
	return (size_t)snprintf(out->file, sizeof(out->file), "%s/%.2s/%.2s/%s", top, hex, hex + 2,
		   hex) < sizeof(out->file);
}
