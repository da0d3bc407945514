/* SPDX-License-Identifier: ISC */
/* Masks the texts of services, for derive.c and merge.c. */
#ifndef RECORD_MASKED_PRIV_H
#define RECORD_MASKED_PRIV_H

#include "record/record_priv.h"

/* Masks the texts of a service that its server sends. seen: last_seen of the host, which is used
   for a service without last_seen. */
void record_mask_service(struct arena *a, struct record_object *service, struct ts seen);
/* Notes the secrets of both objects in the merged one. */
void record_merge_secrets(struct arena *a, struct record_object *o, const struct record_object *old,
    const struct record_object *new);

#endif
