/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: nginx's effective configuration (nginx -T) and its certificates. */
#include "config.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "cli/doctor/doctor.h"
#include "cli/nginx.h"
#include "daemon/conf.h"

#include <pwd.h>
#include <unistd.h>

enum { WRITE = 2, ENTER = 1, DAYS_WARN = 14 };
/* Minima for each nginx process; README.Debian has both. Clients without a key can hold
   connections, so there must be more than a few machines can open. A connection needs a second
   descriptor for the file of a body or response. */
enum { CONNECTIONS_WANTED = 8192, FILES_WANTED = 16384 };

#define NO_SITE "site" /* subject of a finding that is the cause of others */

/* ---- checks ---- */

/* The directory of a socket and the socket itself have different advice: a restart creates the
   socket with its mode again, while systemd-tmpfiles repairs the directory. */
static void
check_access(struct doctor *d, const struct pool *p, const struct passwd *pw)
{
	const char *folder = PRINTED(d, "%.*s", (int)(strrchr(p->path, '/') - p->path), p->path);

	if (pw == NULL || access(folder, F_OK) != 0)
		doctor_report(d, HEALTH_OK, "nginx", NO_ADVICE, "%s: %s", p->name, p->path);
	else if (!doctor_reach(folder, pw, ENTER))
		doctor_report(d, HEALTH_FAILED, "nginx", DO(MAKE_FOLDERS),
		    "%s: the user %s cannot enter %s", p->name, pw->pw_name, folder);
	else if (access(p->path, F_OK) == 0 && !doctor_reach(p->path, pw, WRITE))
		doctor_report(d, HEALTH_FAILED, "nginx", DO_WITH(RESTART, nginx_unit(p->name)),
		    "%s: the user %s cannot connect to %s", p->name, pw->pw_name, p->path);
	else
		doctor_report(d, HEALTH_OK, "nginx", NO_ADVICE, "%s: %s", p->name, p->path);
}

/* The upstream file defines the pools for nginx and for the daemons, so both must have read the
   same one. nginx -T shows the weight of each server line, and the weight of a socket is its number
   of workers:

     weight 0                no site includes the upstream file, or its line is gone
     weight is not workers   nginx includes a copy of the file, or an edited one

   The socket itself is tested only when the two agree, for nginx's user. */
static void
check_pool(struct doctor *d, const struct nginx *n, const struct pool *p, const struct passwd *pw)
{
	const char *upstreams = doctor_conf(d, PROGRAM_API)->upstreams;
	unsigned weight = nginx_weight(n, p->path);

	if (weight == 0)
		doctor_report(d, HEALTH_FAILED, "nginx", DO_WITH(ENABLE_SITE, upstreams),
		    "%s: nginx does not know the socket %s", p->name, p->path);
	else if (weight != p->workers)
		doctor_report(d, HEALTH_WARNING, "nginx", DO_WITH(NO_COPY, upstreams),
		    "%s: nginx counts %u workers, the upstream file %u", p->name, weight,
		    p->workers);
	else
		check_access(d, p, pw);
}

static bool
knows_any(const struct doctor *d, const struct nginx *n)
{
	for (size_t i = 0; i < d->npools; i++)
		if (nginx_weight(n, d->pools[i].path) > 0)
			return true;
	return d->npools == 0;
}

static void
check_pools(struct doctor *d, const struct nginx *n)
{
	const char *user = n->user.p == NULL ? "nobody" : arena_str(d->c->arena, n->user).p;
	const struct passwd *pw = geteuid() == 0 ? getpwnam(user) : getpwuid(geteuid());
	const char *upstreams = doctor_conf(d, PROGRAM_API)->upstreams;

	if (!knows_any(d, n)) {
		doctor_report(d, HEALTH_FAILED, "nginx", DO_WITH(ENABLE_SITE, upstreams),
		    "no site includes %s: nginx knows no socket of this host", upstreams);
		doctor_subject(d, NO_SITE);
	} else {
		for (size_t i = 0; i < d->npools; i++)
			check_pool(d, n, &d->pools[i], pw);
	}
	if (!n->loop) {
		doctor_report(
		    d, HEALTH_FAILED, "nginx", DO(ADD_HTTP_CONF), "http.conf is not included");
		doctor_cause(d, "nginx", NO_SITE);
	} else if (!n->api) {
		doctor_report(d, HEALTH_FAILED, "nginx", DO(ADD_SITE_CONF),
		    "surfaced.conf is not included: no request gets to the API");
		doctor_cause(d, "nginx", NO_SITE);
	}
}

static void
check_connections(struct doctor *d, const struct nginx *n)
{
	const char *connections = PRINTED(d, "%d", CONNECTIONS_WANTED),
		   *files = PRINTED(d, "%d", FILES_WANTED);

	if (n->connections < CONNECTIONS_WANTED || n->files < n->connections)
		doctor_report(d, HEALTH_WARNING, "nginx", DO_WITH(MORE_CLIENTS, connections, files),
		    "%jd connections and %jd open files a process: slow clients can "
		    "hold them all",
		    (intmax_t)n->connections, (intmax_t)n->files);
	else
		doctor_report(d, HEALTH_OK, "nginx", NO_ADVICE,
		    "%jd connections and %jd open files a process", (intmax_t)n->connections,
		    (intmax_t)n->files);
}

/* nginx removes its Unix sockets when it ends, unless it is killed; it does not start again while a
   file has the name of one. Debian's package has a drop-in for nginx.service that removes them. */
static const char *
left_sockets(struct doctor *d, const struct nginx *n)
{
	struct buf left = { .a = d->c->arena };

	for (size_t i = 0; i < n->nlistens; i++) {
		const char *path = arena_str(d->c->arena, n->listens[i]).p;

		if (access(path, F_OK) == 0 && !local_listens(path))
			buf_printf(&left, " %s", path);
	}
	return left.n == 0 ? NULL : PRINTED(d, "%.*s", (int)left.n, left.p);
}

static void
check_running(struct doctor *d, const struct nginx *n)
{
	const char *left = n->state == NGINX_STOPPED ? left_sockets(d, n) : NULL;

	if (left != NULL)
		doctor_report(d, HEALTH_FAILED, "nginx", DO_WITH(REMOVE_SOCKETS, left),
		    "it was killed and cannot start again:%s left over", left);
	else if (n->state == NGINX_STOPPED)
		doctor_report(d, HEALTH_FAILED, "nginx", DO_WITH(START, "nginx"),
		    "it does not run (%.*s)", n->pid_file.p == NULL ? 14 : (int)n->pid_file.n,
		    n->pid_file.p == NULL ? "/run/nginx.pid" : n->pid_file.p);
	else if (n->stale.p != NULL)
		doctor_report(d, HEALTH_WARNING, "nginx", DO_WITH(RELOAD, "nginx"),
		    "process %d has not loaded %.*s, which changed since", n->master,
		    (int)n->stale.n, n->stale.p);
	else
		doctor_report(d, HEALTH_OK, "nginx", NO_ADVICE, "process %d runs", n->master);
}

/* A client that requests a name needs a certificate with this name. */
static void
check_certificate_names(struct doctor *d, const struct nginx *n, X509 *x, const char *path)
{
	for (size_t i = 0; i < n->nnames; i++) {
		struct str name = n->names[i].name;

		if (str_is(n->names[i].cert, path) &&
		    X509_check_host(x, name.p, name.n, 0, NULL) == 0)
			doctor_report(d, HEALTH_FAILED, "certificate", DO(NEW_NAME),
			    "%s is not for %.*s, whose clients refuse it", path, (int)name.n,
			    name.p);
	}
}

static void
check_certificate(struct doctor *d, const struct nginx *n, const char *path)
{
	BIO *in = BIO_new_file(path, "r");
	X509 *x = in == NULL ? NULL : PEM_read_bio_X509(in, NULL, NULL, NULL);
	int days = 0, seconds = 0;
	bool ended;

	BIO_free(in);
	if (x == NULL || ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(x)) != 1) {
		doctor_report(
		    d, HEALTH_WARNING, "certificate", DO(TEST_NGINX), "%s cannot be read", path);
		X509_free(x);
		return;
	}
	ended = days < 0 || seconds < 0;
	if (X509_cmp_current_time(X509_get0_notBefore(x)) > 0)
		doctor_report(
		    d, HEALTH_FAILED, "certificate", DO(FIX_CLOCK), "%s is not valid yet", path);
	else if (ended || days < DAYS_WARN)
		doctor_report(d, ended ? HEALTH_FAILED : HEALTH_WARNING, "certificate", DO(RENEW),
		    ended ? "%s expired %d days ago" : "%s expires in %d days", path,
		    ended ? -days : days);
	else
		doctor_report(
		    d, HEALTH_OK, "certificate", NO_ADVICE, "%s: %d days left", path, days);
	check_certificate_names(d, n, x, path);
	X509_free(x);
}

void
doctor_nginx(struct doctor *d)
{
	struct nginx *n = ARENA_NEW(d->c->arena, struct nginx);

	nginx_look(d->c->arena, d->nginx.p, n);
	if (n->state == NGINX_ABSENT) {
		doctor_report(
		    d, HEALTH_FAILED, "nginx", DO_WITH(INSTALL, "nginx"), "there is no nginx");
		return;
	}
	if (n->state == NGINX_BROKEN) {
		doctor_report(d, HEALTH_FAILED, "nginx", DO(TEST_NGINX), "%.*s",
		    (int)n->complaint.n, n->complaint.p);
		return;
	}
	check_pools(d, n);
	check_connections(d, n);
	check_running(d, n);
	for (size_t i = 0; i < n->ncerts; i++)
		check_certificate(d, n, arena_str(d->c->arena, n->certs[i]).p);
	if (n->ncerts == 0) {
		doctor_report(d, HEALTH_FAILED, "certificate", DO(ADD_CERTIFICATE),
		    "nginx's configuration has none");
		doctor_cause(d, "nginx", NO_SITE);
	}
}
