/* SPDX-License-Identifier: ISC */
/* Masks texts that a server chooses freely, for derive.c and merge.c. */
#ifndef RECORD_MASKED_PRIV_H
#define RECORD_MASKED_PRIV_H

#include "record/record_priv.h"

/* Masks the texts of a service that its server sends. seen: last_seen of the host, which is used
   for a service without last_seen. */
void record_mask_service(struct arena *a, struct record_object *service, struct ts seen);
/* Masks a text of another dataset. Its secrets are not noted. */
void record_mask_text(struct arena *a, struct record_object *o, const char *member);
/* Returns an answer in presentation form without its secrets. */
struct str record_masked_answer(struct arena *a, struct str answer);
/* Notes the secrets of both objects in the merged one. */
void record_merge_secrets(struct arena *a, struct record_object *o, const struct record_object *old,
    const struct record_object *new);

#endif
