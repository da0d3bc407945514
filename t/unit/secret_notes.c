/* SPDX-License-Identifier: ISC */
/* What an import keeps of secrets: masked documents, notes and fingerprints; and the names of sensitive files. */
#include "config.h"

#include "cli/import/secret_notes.h"
#include "record/masked.h"
#include "secret/sensitive_file.h"
#include "t/unit/secret_samples.h"
#include "t/unit/tap.h"

#include <unistd.h>

static struct arena *arena;

static struct secret_key
key_of(const char *bytes)
{
	char path[] = "/tmp/secret_notes.XXXXXX", err[512];
	int fd = mkstemp(path);
	struct secret_key k;

	if (fd < 0 || write(fd, bytes, strlen(bytes)) != (ssize_t)strlen(bytes))
		panic("no temporary file");
	close(fd);
	CU_ASSERT_TRUE_FATAL(secret_key_read(path, &k, err, sizeof(err)));
	unlink(path);
	return k;
}

static const char one[] = "0123456789abcdef0123456789abcdef",
		  two[] = "1123456789abcdef0123456789abcdef";

static void
fingerprints_belong_to_a_project(void)
{
	/* C-187, C-189 */
	struct secret_key k = key_of(one), other = key_of(two);
	struct uuid p = { { 1 } }, q = { { 2 } };
	struct str secret = STR("hunter2!"), type = STR("url_password");
	struct str here = STR("192.0.2.7 80/tcp/banner 0"),
		   there = STR("192.0.2.8 80/tcp/banner 0");
	struct str n = secret_note(arena, &k, type, secret, here);
	struct str m = secret_note(arena, &k, type, secret, there);
	struct str f = secret_fingerprint(arena, &k, &p, n, here);

	CU_ASSERT_EQUAL(f.n, 32);
	CU_ASSERT_TRUE(str_eq(f, secret_fingerprint(arena, &k, &p, m, there)));
	CU_ASSERT_FALSE(str_eq(n, m));
	CU_ASSERT_FALSE(str_eq(f, secret_fingerprint(arena, &k, &q, n, here)));
	CU_ASSERT_FALSE(str_eq(f, secret_fingerprint(arena, &other, &p,
				      secret_note(arena, &other, type, secret, here), here)));
	CU_ASSERT_FALSE(str_eq(f, secret_fingerprint(arena, &k, &p,
				      secret_note(arena, &k, STR("jwt"), secret, here), here)));
	CU_ASSERT_FALSE(str_eq(f, secret_fingerprint(arena, &k, &p,
				      secret_note(arena, &k, type, STR("hunter3!"), here), here)));
	CU_ASSERT_STRING_NOT_EQUAL(k.id, other.id);
	CU_ASSERT_PTR_NULL(secret_fingerprint(arena, &k, &p, STR("none"), here).p);
	CU_ASSERT_PTR_NULL(memmem(n.p, n.n, f.p, 8));
}

static void
a_key_is_at_least_32_bytes(void)
{
	struct secret_key k;
	char err[512];

	CU_ASSERT_FALSE(secret_key_read("/dev/null", &k, err, sizeof(err)));
	CU_ASSERT_PTR_NOT_NULL(strstr(err, "must hold 32 to"));
	CU_ASSERT_FALSE(secret_key_read("/nowhere/key", &k, err, sizeof(err)));
}

static struct str
token(uint64_t seed)
{
	for (size_t i = 0; i < secret_nsamples; i++)
		if (strcmp(secret_samples[i].type, "github_token") == 0) {
			struct made m =
			    sample_make(arena, secret_samples[i].text, SAMPLE_TRUE, &seed);

			return (struct str){ m.text.p + m.start, m.end - m.start };
		}
	panic("no sample of github_token");
}

static struct record
host_of(struct str text)
{
	struct record r;
	struct str what = STR("");

	CU_ASSERT_TRUE_FATAL(record_parse(arena, DATASET_HOSTS, text, RECORD_STRICT, &r, &what));
	if (!record_finish(arena, &r, RECORD_STRICT, &what))
		panic("%.*s", (int)what.n, what.p);
	return r;
}

static void
services_are_masked_and_noted(void)
{
	/* C-186 */
	struct secret_key k = key_of(one);
	struct str t = token(1), u = token(2), v = token(3);
	struct record r = host_of(arena_printf(arena,
	    "{\"ip\":\"192.0.2.7\",\"last_seen\":\"2026-11-01T00:00:00Z\",\"services\":[{\"port\":"
	    "80,"
	    "\"banner\":\"a %.*s b %.*s c\",\"banner_hash\":\"abcdef\",\"http\":{\"title\":\"for "
	    "%.*s\",\"body\":\"x %.*s\",\"body_hash\":\"012345\",\"server\":\"s "
	    "%.*s\",\"headers\":["
	    "\"location: https://u:%.*s@h.example/\",\"server: "
	    "s\"]}},{\"port\":22,\"banner\":\"SSH-2.0-x\"}]}",
	    (int)t.n, t.p, (int)u.n, u.p, (int)v.n, v.p, (int)t.n, t.p, (int)u.n, u.p, (int)v.n,
	    v.p));
	struct buf b = { .a = arena }, notes = { .a = arena };
	struct str doc;

	CU_ASSERT_EQUAL(secret_notes_of_host(&notes, arena, &k, &r), 6);
	record_print(&b, &r, NULL);
	doc = buf_done(&b);
	for (size_t i = 4; i + 9 <= t.n; i++) {
		CU_ASSERT_PTR_NULL(memmem(doc.p, doc.n, t.p + i, 9));
		CU_ASSERT_PTR_NULL(memmem(doc.p, doc.n, u.p + i, 9));
		CU_ASSERT_PTR_NULL(memmem(doc.p, doc.n, v.p + i, 9));
		CU_ASSERT_PTR_NULL(memmem(notes.p, notes.n, t.p + i, 9));
	}
	CU_ASSERT_PTR_NOT_NULL(strstr(doc.p, "a ghp_\xe2\x80\xa6"
					     "40 b ghp_\xe2\x80\xa6"
					     "40 c"));
	/* a hash of a text with a secret is none of its document */
	CU_ASSERT_PTR_NULL(strstr(doc.p, "abcdef"));
	CU_ASSERT_PTR_NULL(strstr(doc.p, "012345"));
	buf_done(&notes);
	CU_ASSERT_PTR_NOT_NULL(strstr(notes.p, "\"part\":\"80/tcp/banner\",\"item\":1,"));
	CU_ASSERT_PTR_NOT_NULL(strstr(notes.p, "\"part\":\"80/tcp/http.headers\",\"item\":0,"));
	CU_ASSERT_PTR_NOT_NULL(
	    strstr(notes.p, "\"seen_at\":\"2026-11-01T00:00:00.000000Z\"") != NULL
		? notes.p
		: strstr(notes.p, "\"seen_at\":\"2026-11-01T00:00:00"));
	/* a finished document is masked already, and has no notes */
	notes = (struct buf){ .a = arena };
	r = host_of(doc);
	CU_ASSERT_EQUAL(secret_notes_of_host(&notes, arena, &k, &r), 0);
	b = (struct buf){ .a = arena };
	record_print(&b, &r, NULL);
	CU_ASSERT_TRUE(str_eq(buf_done(&b), doc));
}

static void
merged_services_keep_their_notes(void)
{
	struct secret_key k = key_of(one);
	struct str t = token(4);
	struct record a = host_of(arena_printf(arena,
	    "{\"ip\":\"192.0.2.7\",\"last_seen\":\"2026-11-01T00:00:00Z\",\"services\":[{\"port\":"
	    "80,"
	    "\"banner\":\"a %.*s\"}]}",
	    (int)t.n, t.p));
	struct record b =
	    host_of(STR("{\"ip\":\"192.0.2.7\",\"last_seen\":\"2026-11-01T00:00:00Z\","
			"\"services\":[{\"port\":80,\"http\":{\"title\":\"x\"}}]}"));
	struct record m = record_merge(arena, &a, &b);
	struct buf notes = { .a = arena };

	CU_ASSERT_EQUAL(secret_notes_of_host(&notes, arena, &k, &m), 1);
}

static void
sensitive_files_are_told_from_look_alikes(void)
{
	static const char *const sensitive[] = { "http://a/.env", "/app/.env.production",
		"prod.env", "http://a/.git/config", "/.git/", "x/.GIT/HEAD", "/.ssh/id_rsa",
		"id_ed25519", "/etc/ssl/privkey.pem", "/etc/ssl/server.PEM", "vault.kdbx",
		"wp-config.php.bak", "wp-config.php.old", "wp-config.php~", "dump.sql.gz",
		"backup-2024.sql", "/.aws/credentials", "/home/a/.kube/config", ".htpasswd",
		"terraform.tfstate", "/.bash_history", "a/key4.db" };
	static const char *const harmless[] = { "http://a/.env.example", ".env.sample", ".env.dist",
		"example.env", "id_rsa.pub", "/etc/ssl/cert.pem", "fullchain.pem", "chain.pem",
		"cacert.pem", "ca-bundle.pem", "isrgrootx1.pem", "server-cert.pem",
		"key.public.pem", "public.pem", "wp-config.php", "wp-config-sample.php", "config",
		"credentials", "/git/config", "a.git/configs", "environment", "index.html",
		"id_rsa.txt.html", "schema.sql", "notes.envelope", "", "/", "my.env/", "sql.gz" };

	for (size_t i = 0; i < COUNT(sensitive); i++) {
		CU_ASSERT_PTR_NOT_NULL(sensitive_file(str_of(sensitive[i])));
		if (sensitive_file(str_of(sensitive[i])) == NULL)
			printf("# missed: %s\n", sensitive[i]);
	}
	for (size_t i = 0; i < COUNT(harmless); i++) {
		CU_ASSERT_PTR_NULL(sensitive_file(str_of(harmless[i])));
		if (sensitive_file(str_of(harmless[i])) != NULL)
			printf("# taken: %s\n", harmless[i]);
	}
}

int
main(void)
{
	CU_TestInfo tests[] = {
		{ "fingerprints of two projects are unrelated", fingerprints_belong_to_a_project },
		{ "a key has at least 32 bytes", a_key_is_at_least_32_bytes },
		{ "services are masked and their secrets noted", services_are_masked_and_noted },
		{ "merged services keep their notes", merged_services_keep_their_notes },
		{ "sensitive files are told from look-alikes",
		    sensitive_files_are_told_from_look_alikes },
		CU_TEST_INFO_NULL,
	};
	int failed;

	arena = arena_new(SIZE_MAX / 2);
	failed = tap_main(tests);
	arena_free(arena);
	return failed;
}
