/* SPDX-License-Identifier: ISC */
/* surfacectl doctor: nginx's effective configuration (nginx -T) and the certificates it names. */
#include "config.h"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "cli/doctor.h"
#include "cli/nginx.h"

#include <pwd.h>
#include <unistd.h>

enum { WRITE = 2, DAYS_WARN = 14 };
/* Of a process of nginx. Clients without a key can hold connections, so that there must be more than a few machines
   open; a connection to a client has at most one file of a body or an answer beside it. README.Debian has both. */
enum { CONNECTIONS_WANTED = 8192, FILES_WANTED = 16384 };

/* ---- judging ---- */

static void
check_pools(struct doctor *d, const struct nginx *n)
{
	const char *user =
	    n->user.p == NULL ? "nobody" : arena_str(d->c->arena, n->user).p;
	const struct passwd *pw = geteuid() == 0 ? getpwnam(user) : getpwuid(geteuid());

	for (size_t i = 0; i < d->npools; i++) {
		const struct pool *p = &d->pools[i];
		unsigned weight = nginx_weight(n, p->path);

		if (weight == 0)
			doctor_say(d, HEALTH_FAILED, "nginx",
			    ADVICE(d,
				"enable a site that includes %s, as the example in "
				"/usr/share/doc/surfaced/examples does",
				d->programs[PROGRAM_API].conf.upstreams),
			    "%s: nginx does not know the socket %s", p->name, p->path);
		else if (weight != p->workers)
			doctor_say(d, HEALTH_WARNING, "nginx",
			    ADVICE(d, "let nginx include %s itself, not a copy",
				d->programs[PROGRAM_API].conf.upstreams),
			    "%s: nginx counts %u workers, the upstream file %u", p->name,
			    weight, p->workers);
		else if (pw != NULL && access(p->path, F_OK) == 0 &&
			 !doctor_reach(p->path, pw, WRITE))
			doctor_say(d, HEALTH_FAILED, "nginx",
			    STR("the folder wants mode 3770 and nginx's group: "
				"systemd-tmpfiles --create, then systemctl restart "
				"surfaced"),
			    "%s: the user %s cannot connect to %s", p->name, pw->pw_name,
			    p->path);
		else
			doctor_say(
			    d, HEALTH_OK, "nginx", STR_NULL, "%s: %s", p->name, p->path);
	}
	if (!n->loop)
		doctor_say(d, HEALTH_FAILED, "nginx",
		    STR("include http.conf of /etc/surfaced/nginx once in the http "
			"block"),
		    "http.conf is not included");
	else if (!n->api)
		doctor_say(d, HEALTH_FAILED, "nginx",
		    STR("include surfaced.conf of /etc/surfaced/nginx in the server "
			"block that has the API's name; then systemctl reload nginx"),
		    "surfaced.conf is not included: no request gets to the API");
}

static void
check_connections(struct doctor *d, const struct nginx *n)
{
	if (n->connections < CONNECTIONS_WANTED || n->files < n->connections)
		doctor_say(d, HEALTH_WARNING, "nginx",
		    ADVICE(d,
			"set worker_connections %d in the events block of nginx.conf "
			"and worker_rlimit_nofile %d outside of it; then systemctl "
			"reload nginx",
			CONNECTIONS_WANTED, FILES_WANTED),
		    "%jd connections and %jd open files a process: slow clients can "
		    "hold them all",
		    (intmax_t)n->connections, (intmax_t)n->files);
	else
		doctor_say(d, HEALTH_OK, "nginx", STR_NULL,
		    "%jd connections and %jd open files a process",
		    (intmax_t)n->connections, (intmax_t)n->files);
}

static void
check_running(struct doctor *d, const struct nginx *n)
{
	if (n->state == NGINX_STOPPED)
		doctor_say(d, HEALTH_FAILED, "nginx", STR("systemctl start nginx"),
		    "it does not run (%.*s)",
		    n->pid_file.p == NULL ? 14 : (int)n->pid_file.n,
		    n->pid_file.p == NULL ? "/run/nginx.pid" : n->pid_file.p);
	else if (n->stale.p != NULL)
		doctor_say(d, HEALTH_WARNING, "nginx", STR("systemctl reload nginx"),
		    "process %d has not loaded %.*s, which changed since", n->master,
		    (int)n->stale.n, n->stale.p);
	else
		doctor_say(d, HEALTH_OK, "nginx", STR_NULL, "process %d runs", n->master);
}

/* Whoever asks for a name wants a certificate that has it. */
static void
check_names(struct doctor *d, const struct nginx *n, X509 *x, const char *path)
{
	for (size_t i = 0; i < n->nnames; i++) {
		struct str name = n->names[i].name;

		if (str_is(n->names[i].cert, path) &&
		    X509_check_host(x, name.p, name.n, 0, NULL) == 0)
			doctor_say(d, HEALTH_FAILED, "certificate",
			    STR("get one for that name, or correct server_name; then "
				"systemctl reload nginx"),
			    "%s is not for %.*s, whose clients refuse it", path,
			    (int)name.n, name.p);
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
	check_names(d, n, x, path);
	X509_free(x);
}

void
doctor_nginx(struct doctor *d)
{
	struct nginx *n = ARENA_NEW(d->c->arena, struct nginx);

	nginx_look(d->c->arena, d->nginx.p, n);
	if (n->state == NGINX_ABSENT) {
		doctor_say(d, HEALTH_FAILED, "nginx", STR("apt install nginx"),
		    "there is no nginx");
		return;
	}
	if (n->state == NGINX_BROKEN) {
		doctor_say(d, HEALTH_FAILED, "nginx",
		    STR("correct what nginx -t reports"), "%.*s", (int)n->complaint.n,
		    n->complaint.p);
		return;
	}
	check_pools(d, n);
	check_connections(d, n);
	check_running(d, n);
	for (size_t i = 0; i < n->ncerts; i++)
		check_certificate(d, n, arena_str(d->c->arena, n->certs[i]).p);
	if (n->ncerts == 0)
		doctor_say(d, HEALTH_FAILED, "certificate",
		    STR("name ssl_certificate and ssl_certificate_key in the site"),
		    "nginx's configuration has none");
}
