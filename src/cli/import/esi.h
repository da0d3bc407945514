/* SPDX-License-Identifier: ISC */
/* The records of surfacectl import assets, services and findings. */
#ifndef CLI_IMPORT_ESI_H
#define CLI_IMPORT_ESI_H

#include "cli/import/import.h"

struct esi_table {
	const struct field *fields;
	/* A record in which nothing is said yet. */
	void *(*blank)(struct arena *a);
	/* Brings a decoded record into its one form; NULL, or what is wrong with it. */
	const char *(*finish)(struct arena *a, void *record);
};

extern const struct esi_table esi_assets, esi_services, esi_findings;

/* A record of esi_services, not finished. */
void *esi_of_nmap(
    struct arena *a, const struct import_host *h, const struct import_service *s);

#endif
