/* SPDX-License-Identifier: ISC */
/* Readers of the formats of tbl/formats.h. A reader reads one entry of the file after the other and
 * passes its records to records_emit; it does not use the database. It calls records_bad for a
 * malformed entry, and counts a good entry without a record of this dataset in .skipped. */
#ifndef CLI_IMPORT_RECORDS_H
#define CLI_IMPORT_RECORDS_H

#include "cli/import/format_options.h"
#include "cli/import/import.h"
#include "cli/import/source.h"
#include "record/ports.h"
#include "record/record.h"

struct records {
	enum dataset dataset;
	unsigned also; /* --also: 1 << d for each further dataset d whose records are wanted */
	struct source *src;
	struct arena *a;    /* memory of one entry of the file; records_next resets it */
	struct arena *kept; /* memory of the whole import */
	struct str origin;  /* --source: STR_NULL when it was not given */
	/* --seen: last_seen of records whose line has no time; TS_NULL without the option */
	struct ts seen;
	struct format_options options;
	bool whole_hosts;   /* --replace-ports: each host must be one record of the file */
	bool authoritative; /* --authoritative: the file itself names the ports that were scanned */
	struct record_scan scan; /* proof of the next host */
	uint64_t read, skipped;
	uint64_t element, byte; /* place of the present value in a list of JSON; element 0: none */
	bool stop;              /* a callback sets it to end the reading */
	/* Called for each finished record, which it may change: the reader does not use the record
	   again. False: the record could not be stored, and the reader ends. */
	bool (*take)(void *arg, struct record *r, struct str der);
	void (*bad)(void *arg, uint64_t line, struct str what);
	void *arg;
	size_t window; /* hosts that are gathered at a time (gather.h); 0: as many as usual */
};

typedef void records_reader(struct records *rs);

records_reader read_ndjson, read_nmap, read_masscan, read_pem, read_der;
records_reader read_cof, read_zdns, read_massdns, read_dnsx, read_sonar;
records_reader read_ct, read_ct_tile, read_certstream, read_tlsx;
records_reader read_rdap, read_whoisjson, read_autoindex;
records_reader read_zmap, read_naabu, read_httpx, read_zgrab2, read_nuclei;

/* Whether records of the dataset are requested: those of .dataset, and those of --also. A reader
   whose rows concern several datasets emits only requested records. */
bool records_want(const struct records *rs, enum dataset d);

/* Counts the next entry of the file and frees the memory of the previous one. False: the reader
   must end. */
bool records_next(struct records *rs);
/* Finishes a record and calls .take with it. der: the certificate, or STR_NULL. */
void records_emit(
    struct records *rs, struct record *r, struct str der, enum record_manner manner, uint64_t line);
/* Reports that a file does not name its ports, if --authoritative was given. */
void records_no_ports(struct records *rs, uint64_t line);
void records_bad(struct records *rs, uint64_t line, const char *fmt, ...) PRINTF(3, 4);

/* The text of the next value of the file, which is counted. False: the file has ended, or the
   reader must end. */
struct json_values;
bool records_text(struct records *rs, struct json_values *v, struct str *text) MUST_USE;
/* Reads the whole input as JSON (json_values.h), calls take for each object, and reports every
   other value as bad. member: NULL, or the name of a member such as "entries"; take is then called
   for each element of that member, and not for the object that contains it. */
typedef void records_value(void *arg, const struct json_value *v, uint64_t line);
void records_json(struct records *rs, const char *member, records_value *take, void *arg);

/* import.c: the command surfacectl import for a dataset. */
struct cli;
int import_dataset(struct cli *c, enum dataset d, int argc, char **argv);

#endif
