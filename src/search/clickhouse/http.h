/* SPDX-License-Identifier: ISC */
/* Sends statements over HTTP to one ClickHouse server, which may forward them to its shards. A
   struct ch_http keeps one connection open and runs one statement at a time. This is the only user
   of libcurl in src/search. */
#ifndef SEARCH_CLICKHOUSE_HTTP_H
#define SEARCH_CLICKHOUSE_HTTP_H

#include "base/base.h"

enum ch_rc {
	CH_OK,
	CH_TIMEOUT,       /* the deadline has passed; the statement was cancelled at the server */
	CH_EXPENSIVE,     /* a limit of rows, bytes or memory */
	CH_BUSY,          /* the server runs as many statements as it may */
	CH_UNAVAILABLE,   /* a shard or replica is unavailable */
	/* user, password, database, table, column, cluster, or the certificate's authority */
	CH_MISCONFIGURED,
	CH_FAILED,        /* no connection, or an invalid answer */
};

struct ch_server {
	const char *url;           /* http:// or https://HOST[:PORT] */
	const char *user;          /* "": default */
	const char *password_file; /* ""; else its first line is the password */
	const char *database;
	const char *ca_file; /* "": the authorities of the system */
};

struct ch_http;

/* Never NULL. The texts of the server must outlive it. */
struct ch_http *ch_http_open(const struct ch_server *server);
void ch_http_close(struct ch_http *h);

enum { CH_QUERY_ID = 64, CH_MESSAGE = 400 };

struct ch_statement {
	struct str sql;
	struct str data;      /* the rows of an INSERT; p NULL: there are none */
	const char *settings; /* "max_threads=2&readonly=2"; "" for none */
	/* letters, digits and '-', below CH_QUERY_ID; "": the statement is not cancelled */
	const char *query_id;
	int64_t deadline; /* mono_us */
	bool partial;         /* unavailable shards are left out */
	size_t most;      /* bytes of the answer; more is CH_FAILED */
};

struct ch_answer {
	struct str body; /* valid until the next statement */
	int code;        /* the number of the server's exception; 0: none */
	bool too_large;  /* CH_FAILED: there were more than `most` bytes */
	/* after a failure: one line for the log, without texts of users */
	char message [CH_MESSAGE];
};

/* Runs a statement. Settings of every statement: wait_end_of_query (so that an exception is a
   status of 500 and never the end of a good answer), and skip_unavailable_shards=0 unless `partial`
   (so that an answer always comes from all shards). */
enum ch_rc ch_http_run(
    struct ch_http *h, const struct ch_statement *s, struct ch_answer *out) MUST_USE;
/* Maps the code of an exception to its meaning. */
enum ch_rc ch_rc_of_code(int code);
const char *ch_rc_name(enum ch_rc rc);

#endif
