/* SPDX-License-Identifier: ISC */
/* The records of surfacectl import assets, services and findings. */
#ifndef CLI_IMPORT_ESI_H
#define CLI_IMPORT_ESI_H

#include "json/json.h"
#include "record/record.h"

struct esi_table {
	const struct field *fields;
	/* A record without any value. */
	void *(*blank)(struct arena *a);
	/* Checks a decoded record and brings it into its stored form; returns the fault, or
	   NULL. */
	const char *(*finish)(struct arena *a, void *record);
};

extern const struct esi_table esi_assets, esi_services, esi_findings;

/* Makes an unfinished record of a service for esi_services from a service that nmap found. */
void *esi_of_nmap(
    struct arena *a, const struct record_object *host, const struct record_object *service);

#endif
