/* SPDX-License-Identifier: ISC */
/* The customer's settings. Each has one name for an option, the environment and the file:
 *
 *   option      environment           ~/.config/surfaced/config
 *   --url       SURFACED_URL          url = https://api.example.com
 *   --cacert    SURFACED_CACERT       cacert = /home/me/ca.pem
 *   --project   SURFACED_PROJECT      project = 3f0b6a52-...
 *   -           SURFACED_UNIX_SOCKET  -
 *   --key-file  SURFACED_API_KEY      ~/.config/surfaced/key is a file of its own
 *
 * The first that is set counts, from left to right. The key is never an argument, because every
 * user of the machine can list arguments, and a file that others can read is refused. */
#include "config.h"

#include "client/client.h"
#include "client/conf_text.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_FILE_MAX = 4096, CONFIG_MAX = 65536 };

static const char *
folder_file(const struct client *c, const char *variable, const char *below_home, const char *name)
{
	const char *folder = getenv(variable), *home = getenv("HOME");

	if (folder != NULL && folder[0] == '/')
		return arena_printf(c->arena, "%s/surfaced/%s", folder, name).p;
	if (home == NULL || home[0] != '/')
		return NULL;
	return arena_printf(c->arena, "%s/%s/surfaced/%s", home, below_home, name).p;
}

const char *
settings_file(const struct client *c, const char *name)
{
	return folder_file(c, "XDG_CONFIG_HOME", ".config", name);
}

const char *
cache_file(const struct client *c, const char *name)
{
	return folder_file(c, "XDG_CACHE_HOME", ".cache", name);
}

/* ---- the key ---- */

static int
check_api_key(struct client *c, struct str text, const char *from)
{
	c->settings.key = text.n == 0 ? text : str_trim(text);
	if (str_graphic(c->settings.key))
		return DONE;
	return fail(c, NOT_ALLOWED, "%s holds no API key: it must be one word", from);
}

static int
read_settings_key_file(struct client *c, const char *path)
{
	struct buf b = { .a = c->arena };
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char bytes[KEY_FILE_MAX];
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) != 0) {
		int status = fail(c, NOT_ALLOWED,
		    "no API key: %s: %s; set SURFACED_API_KEY, or run surface configure", path,
		    strerror(errno));

		fd_close(fd);
		return status;
	}
	n = read(fd, bytes, sizeof(bytes));
	fd_close(fd);
	if ((st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
		return fail(c, NOT_ALLOWED,
		    "%s can be read by others (mode %04o); run: chmod 600 %s", path,
		    (unsigned)(st.st_mode & 07777), path);
	if (n < 0)
		return fail(c, NOT_ALLOWED, "%s: %s", path, strerror(errno));
	buf_add(&b, bytes, (size_t)n);
	if (str_utf8_bad(buf_done(&b)) < b.n)
		return fail(c, NOT_ALLOWED, "%s holds no API key: it is no text", path);
	return check_api_key(c, buf_done(&b), path);
}

static int
read_settings_key(struct client *c)
{
	const char *given = getenv("SURFACED_API_KEY"), *path = option(c, "key-file").p;

	if (path == NULL && given != NULL && given[0] != '\0')
		return check_api_key(c, str_of(given), "SURFACED_API_KEY");
	if (path == NULL)
		path = settings_file(c, "key");
	if (path == NULL)
		return fail(c, NOT_ALLOWED, "no API key: set SURFACED_API_KEY");
	return read_settings_key_file(c, path);
}

/* ---- the file of settings ---- */

static struct str
first_of(struct client *c, const char *given, const char *variable, struct str config)
{
	const char *set = getenv(variable);

	if (given != NULL)
		return str_of(given);
	if (set != NULL && set[0] != '\0')
		return str_of(set);
	return config.p != NULL ? arena_str(c->arena, config) : STR_NULL;
}

int
settings_https(const struct client *c, struct str url)
{
	if (str_starts(url, STR("https://")))
		return DONE;
	return fail(c, WRONG_USAGE,
	    "%.*s does not begin with https://: a key is not sent in the clear", (int)url.n, url.p);
}

static int
check_settings_url(struct client *c, struct str url)
{
	int status;

	if (url.n == 0)
		return fail(c, WRONG_USAGE,
		    "where is the API? Set SURFACED_URL, or \"url = https://...\" in %s",
		    settings_file(c, "config") != NULL ? settings_file(c, "config")
						       : "the configuration");
	status = settings_https(c, url);
	if (status != DONE)
		return status;
	while (str_ends(url, STR("/")))
		url.n--;
	if (!str_ends(url, STR("/api/v1")))
		url = arena_printf(c->arena, "%.*s/api/v1", (int)url.n, url.p);
	c->settings.url = url;
	return DONE;
}

int
settings_config(struct client *c, const char *path, struct buf *out)
{
	if (path != NULL && !file_read(path, CONFIG_MAX, out) && errno != ENOENT)
		return fail(c, FAILED, "%s: %s", path, strerror(errno));
	if (str_utf8_bad(buf_done(out)) < out->n)
		return fail(c, FAILED, "%s is no text in UTF-8", path);
	return DONE;
}

int
settings_read(struct client *c)
{
	const char *path = settings_file(c, "config");
	struct buf b = { .a = c->arena };
	int status = settings_config(c, path, &b);
	struct str text = buf_done(&b);

	if (status != DONE)
		return status;
	status = check_settings_url(
	    c, first_of(c, option(c, "url").p, "SURFACED_URL", config_value(text, "url")));
	if (status != DONE)
		return status;
	c->settings.cacert =
	    first_of(c, option(c, "cacert").p, "SURFACED_CACERT", config_value(text, "cacert")).p;
	c->settings.project = first_of(c, NULL, "SURFACED_PROJECT", config_value(text, "project"));
	c->settings.socket = first_of(c, NULL, "SURFACED_UNIX_SOCKET", STR_NULL).p;
	return read_settings_key(c);
}
