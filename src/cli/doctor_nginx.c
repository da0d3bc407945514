/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: nginx's effective configuration (nginx -T) and the certificates it names. */
#include "config.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "cli/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	DUMP_MAX = 8 << 20,
	WORDS_MAX = 16,
	CERTS_MAX = 64,
	GROUPS_MAX = 128,
	DAYS_WARN = 14,
	DAY = 86400,
};

struct view {
	struct str user, pid;
	struct str certs[CERTS_MAX];
	size_t ncerts;
	unsigned
	    weights[POOLS_MAX]; /* of the upstream file's sockets, as nginx has them */
	bool loop;              /* http.conf is included */
};

/* ---- reading ---- */

/* The exit status of nginx -T, its output in out; 127: there is no nginx. */
static int
dump(struct doctor *d, struct buf *out)
{
	char *argv[] = { "nginx", "-T", d->nginx.p != NULL ? "-c" : NULL,
		(char *)(uintptr_t)d->nginx.p, NULL };
	int ends[2], status = 0;
	char part[16384];
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	if (pipe2(ends, O_CLOEXEC) != 0 || (pid = fork()) < 0)
		return 127;
	if (pid == 0) {
		if (dup2(ends[1], STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
			_exit(127);
		execv("/usr/sbin/nginx", argv);
		execvp("nginx", argv);
		_exit(127);
	}
	close(ends[1]);
	while ((n = read(ends[0], part, sizeof(part))) > 0)
		if (out->n < DUMP_MAX)
			buf_add(out, part, (size_t)n);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 127;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next word; of n == 0 at the end. One of ; { } is a word of its own. */
static struct str
next_word(struct str *text)
{
	struct str w;

	while (text->n > 0 && (is_blank(*text->p) || *text->p == '#')) {
		const char *eol =
		    *text->p == '#' ? memchr(text->p, '\n', text->n) : text->p;

		eol = eol == NULL ? text->p + text->n - 1 : eol;
		text->n -= (size_t)(eol + 1 - text->p);
		text->p = eol + 1;
	}
	w = (struct str){ text->p, 0 };
	if (text->n > 0 && (*w.p == '"' || *w.p == '\'')) {
		const char *end = memchr(w.p + 1, *w.p, text->n - 1);

		w = (struct str){ w.p + 1,
			end == NULL ? text->n - 1 : (size_t)(end - w.p - 1) };
		text->n -= end == NULL ? text->n : w.n + 2;
		text->p += end == NULL ? 0 : w.n + 2;
		return w;
	}
	while (w.n < text->n && !is_blank(w.p[w.n]) && strchr(";{}", w.p[w.n]) == NULL)
		w.n++;
	if (w.n == 0 && text->n > 0)
		w.n = 1;
	text->p += w.n;
	text->n -= w.n;
	return w;
}

static void
take_server(const struct doctor *d, struct view *v, const struct str *words, size_t n)
{
	struct str path = { words[1].p + 5, words[1].n - 5 };
	int64_t weight = 1;

	for (size_t i = 2; i < n; i++) {
		struct str number = { words[i].p + 7, words[i].n - 7 };

		if (str_is(words[i], "backup"))
			return;
		if (str_starts(words[i], STR("weight=")) && !str_int64(number, &weight))
			weight = 1;
	}
	for (size_t i = 0; i < d->npools; i++)
		if (str_is(path, d->pools[i].path))
			v->weights[i] += (unsigned)weight;
}

static void
take(const struct doctor *d, struct view *v, const struct str *words, size_t n)
{
	if (n < 2)
		return;
	if (str_is(words[0], "user"))
		v->user = words[1];
	if (str_is(words[0], "pid"))
		v->pid = words[1];
	if (str_is(words[0], "server_name") && str_is(words[1], "surfaced-loop"))
		v->loop = true;
	if (str_is(words[0], "server") && str_starts(words[1], STR("unix:")))
		take_server(d, v, words, n);
	if (!str_is(words[0], "ssl_certificate") || words[1].n == 0 ||
	    words[1].p[0] != '/' || memchr(words[1].p, '$', words[1].n) != NULL)
		return;
	for (size_t i = 0; i < v->ncerts; i++)
		if (str_eq(v->certs[i], words[1]))
			return;
	if (v->ncerts < CERTS_MAX)
		v->certs[v->ncerts++] = words[1];
}

static void
read_dump(const struct doctor *d, struct str text, struct view *v)
{
	struct str words[WORDS_MAX], w;
	size_t n = 0;

	while ((w = next_word(&text)).p != NULL && (w.n > 0 || text.n > 0)) {
		if (w.n == 1 && strchr(";{}", *w.p) != NULL) {
			take(d, v, words, n);
			n = 0;
		} else if (n < WORDS_MAX) {
			words[n++] = w;
		}
	}
}

/* ---- judging ---- */

static bool
may(const struct stat *st, const struct passwd *pw, const gid_t *groups, int n,
    mode_t bit)
{
	if (pw->pw_uid == 0)
		return true;
	if (st->st_uid == pw->pw_uid)
		return (st->st_mode & bit << 6) == bit << 6;
	for (int i = 0; i < n; i++)
		if (groups[i] == st->st_gid)
			return (st->st_mode & bit << 3) == bit << 3;
	return (st->st_mode & bit) == bit;
}

/* Enter every folder, and write to the socket. */
static bool
may_connect(const char *path, const struct passwd *pw)
{
	gid_t groups[GROUPS_MAX];
	int n = GROUPS_MAX;
	char part[108];
	struct stat st;

	if (getgrouplist(pw->pw_name, pw->pw_gid, groups, &n) < 0)
		n = GROUPS_MAX;
	for (const char *p = path; p != NULL; p = strchr(p + 1, '/')) {
		snprintf(
		    part, sizeof(part), "%.*s", p == path ? 1 : (int)(p - path), path);
		if (stat(part, &st) != 0 || !may(&st, pw, groups, n, 1))
			return false;
	}
	return stat(path, &st) == 0 && may(&st, pw, groups, n, 2);
}

static void
check_pools(struct doctor *d, const struct view *v)
{
	const char *user =
	    v->user.p == NULL ? "nobody" : arena_str(d->c->arena, v->user).p;
	const struct passwd *pw = geteuid() == 0 ? getpwnam(user) : getpwuid(geteuid());

	for (size_t i = 0; i < d->npools; i++) {
		const struct pool *p = &d->pools[i];

		if (v->weights[i] == 0)
			doctor_say(d, HEALTH_FAILED, "nginx",
			    ADVICE(d,
				"enable a site that includes %s, as the example in "
				"/usr/share/doc/surfaced/examples does",
				d->programs[0].conf.upstreams),
			    "%s: nginx does not know the socket %s", p->name, p->path);
		else if (v->weights[i] != p->workers)
			doctor_say(d, HEALTH_WARNING, "nginx",
			    ADVICE(d, "let nginx include %s itself, not a copy",
				d->programs[0].conf.upstreams),
			    "%s: nginx counts %u workers, the upstream file %u", p->name,
			    v->weights[i], p->workers);
		else if (pw != NULL && access(p->path, F_OK) == 0 &&
			 !may_connect(p->path, pw))
			doctor_say(d, HEALTH_FAILED, "nginx",
			    STR("the folder wants mode 2750 and nginx's group: "
				"systemd-tmpfiles --create, then systemctl restart "
				"surfaced"),
			    "%s: the user %s cannot connect to %s", p->name, pw->pw_name,
			    p->path);
		else
			doctor_say(
			    d, HEALTH_OK, "nginx", STR_NULL, "%s: %s", p->name, p->path);
	}
	if (!v->loop)
		doctor_say(d, HEALTH_FAILED, "nginx",
		    STR("include http.conf of /etc/surfaced/nginx once in the http "
			"block"),
		    "http.conf is not included");
}

static void
check_running(struct doctor *d, const struct view *v)
{
	const char *path =
	    v->pid.p == NULL ? "/run/nginx.pid" : arena_str(d->c->arena, v->pid).p;
	FILE *in = fopen(path, "re");
	char line[32] = "";
	int64_t pid = 0;

	if (in != NULL && fgets(line, sizeof(line), in) != NULL &&
	    !str_int64(str_trim(str_of(line)), &pid))
		pid = 0;
	if (in != NULL)
		fclose(in);
	if (pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM))
		doctor_say(d, HEALTH_OK, "nginx", STR_NULL, "process %d runs", (int)pid);
	else
		doctor_say(d, HEALTH_FAILED, "nginx", STR("systemctl start nginx"),
		    "it does not run (%s)", path);
}

static void
check_certificate(struct doctor *d, const char *path)
{
	BIO *in = BIO_new_file(path, "r");
	X509 *x = in == NULL ? NULL : PEM_read_bio_X509(in, NULL, NULL, NULL);
	int days = 0, seconds = 0;
	bool ended;

	BIO_free(in);
	if (x == NULL ||
	    ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(x)) != 1) {
		doctor_say(d, HEALTH_WARNING, "certificate",
		    STR("run surfacectl doctor as root; nginx -t tests the file"),
		    "%s cannot be read", path);
		X509_free(x);
		return;
	}
	ended = days < 0 || seconds < 0;
	if (X509_cmp_current_time(X509_get0_notBefore(x)) > 0)
		doctor_say(d, HEALTH_FAILED, "certificate",
		    STR("mind the clock, or the certificate"), "%s is not valid yet",
		    path);
	else if (ended || days < DAYS_WARN)
		doctor_say(d, ended ? HEALTH_FAILED : HEALTH_WARNING, "certificate",
		    STR("renew it, then systemctl reload nginx"), "%s %s %d days", path,
		    ended ? "ended before" : "ends in", ended ? -days : days);
	else
		doctor_say(d, HEALTH_OK, "certificate", STR_NULL, "%s: %d days left",
		    path, days);
	X509_free(x);
}

/* Behind what nginx says of its test. */
static struct str
dumped(struct str text)
{
	static const char mark[] = "# configuration file ";
	const char *at = memmem(text.p, text.n, mark, sizeof(mark) - 1);

	return at == NULL ? STR("") : (struct str){ at, text.n - (size_t)(at - text.p) };
}

/* nginx's own word for what is wrong, without its time and process. */
static struct str
complaint(struct str text)
{
	static const char mark[] = "[emerg]";
	const char *at = memmem(text.p, text.n, mark, sizeof(mark) - 1), *end;

	if (at == NULL)
		return STR("nginx -t fails");
	end = memchr(at, '\n', text.n - (size_t)(at - text.p));
	return (struct str){ at,
		end == NULL ? text.n - (size_t)(at - text.p) : (size_t)(end - at) };
}

void
doctor_nginx(struct doctor *d)
{
	struct view *v = ARENA_NEW(d->c->arena, struct view);
	struct buf out = { .a = d->c->arena };
	int status = dump(d, &out);

	if (status == 127) {
		doctor_say(d, HEALTH_FAILED, "nginx", STR("apt install nginx"),
		    "there is no nginx");
		return;
	}
	if (status != 0) {
		struct str said = complaint(buf_done(&out));

		doctor_say(d, HEALTH_FAILED, "nginx",
		    STR("correct what nginx -t reports"), "%.*s", (int)said.n, said.p);
		return;
	}
	read_dump(d, dumped(buf_done(&out)), v);
	check_pools(d, v);
	check_running(d, v);
	for (size_t i = 0; i < v->ncerts; i++)
		check_certificate(d, arena_str(d->c->arena, v->certs[i]).p);
	if (v->ncerts == 0)
		doctor_say(d, HEALTH_FAILED, "certificate",
		    STR("name ssl_certificate and ssl_certificate_key in the site"),
		    "nginx's configuration has none");
}
