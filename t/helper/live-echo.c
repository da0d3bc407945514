/* SPDX-License-Identifier: ISC */
/* live-echo SOCKET: the runner's side of the live stream before a page that is only painted. What the viewer
   does is printed, a line each, and painted; lines of stdin make things happen (see commands). */
#include "config.h"

#include "base/limits.h"
#include "browser/runner/live.h"
#include "wire/ws.h"

#include <fcntl.h>
#include <jpeglib.h>
#include <signal.h>
#include <unistd.h>

enum { WIDTH = 1280, HEIGHT = 720, TABS = 3 };

static struct event_base *base;
static struct live *live;
static unsigned char picture[HEIGHT][WIDTH][3];
static int64_t token, quality = 60;
static bool watched, painting, changed, button_on;
static double pointer_x, pointer_y, scroll;
static char typed[200];
static struct str failure; /* of the active tab; without text: none */
static struct stream_tab_info tabs[TABS] = {
	{ 1, STR_INIT("https://example.com/"), STR_INIT("Echo"), false },
	{ 2, STR_INIT("https://example.org/two"), STR_INIT("The second tab"), false },
};
static size_t ntabs = 2;
static int64_t active = 1;

/* ---- painting ---- */

/* A glyph is five rows of three bits, as octal digits. */
static const char *const glyphs[128] = {
	['a'] = "25755",
	['b'] = "65656",
	['c'] = "34443",
	['d'] = "65556",
	['e'] = "74647",
	['f'] = "74644",
	['g'] = "34553",
	['h'] = "55755",
	['i'] = "72227",
	['j'] = "11152",
	['k'] = "55655",
	['l'] = "44447",
	['m'] = "57755",
	['n'] = "65555",
	['o'] = "25552",
	['p'] = "65644",
	['q'] = "25563",
	['r'] = "65655",
	['s'] = "34216",
	['t'] = "72222",
	['u'] = "55557",
	['v'] = "55552",
	['w'] = "55775",
	['x'] = "55255",
	['y'] = "55222",
	['z'] = "71247",
	['0'] = "75557",
	['1'] = "26227",
	['2'] = "61247",
	['3'] = "61216",
	['4'] = "55711",
	['5'] = "74616",
	['6'] = "34757",
	['7'] = "71222",
	['8'] = "75757",
	['9'] = "75716",
	['.'] = "00002",
	[':'] = "02020",
	['-'] = "00700",
	['/'] = "11244",
	['@'] = "25743",
	['!'] = "22202",
	['?'] = "61202",
	[','] = "00024",
};

static void
rectangle(int x, int y, int w, int h, unsigned rgb)
{
	for (int j = y < 0 ? 0 : y; j < y + h && j < HEIGHT; j++)
		for (int i = x < 0 ? 0 : x; i < x + w && i < WIDTH; i++)
			for (int c = 0; c < 3; c++)
				picture[j][i][c] = (unsigned char)(rgb >> (16 - 8 * c));
}

static void
letter(int x, int y, int size, unsigned rgb, char c)
{
	const char *g = glyphs[(c >= 'A' && c <= 'Z' ? c + 32 : c) & 127];

	for (int row = 0; g != NULL && row < 5; row++)
		for (int col = 0; col < 3; col++)
			if ((g[row] - '0') & (4 >> col))
				rectangle(x + col * size, y + row * size, size, size, rgb);
}

static void
words(int x, int y, int size, unsigned rgb, const char *text)
{
	for (; *text != '\0'; text++, x += 4 * size)
		letter(x, y, size, rgb, *text);
}

static void
paint(void)
{
	static const unsigned colours[] = { 0x2f6f8f, 0x8f5f2f, 0x4f7f3f, 0x7f3f6f };

	rectangle(0, 0, WIDTH, HEIGHT, 0xf7f5f0);
	for (int i = 0; i < 12; i++) {
		int y = 420 + i * 150 - (int)scroll;

		rectangle(80, y, 1120, 120, 0xffffff);
		rectangle(100, y + 20, 80, 80, colours[i % 4]);
		rectangle(210, y + 26, 420 + 40 * (i % 5), 16, 0xc9c5bb);
		rectangle(210, y + 60, 760, 12, 0xe2dfd7);
		rectangle(210, y + 84, 640, 12, 0xe2dfd7);
	}
	rectangle(0, 0, WIDTH, 110, active == 1 ? 0x23313f : 0x3f2331);
	words(80, 38, 7, 0xffffff, active == 1 ? "echo page" : "another tab");
	rectangle(80, 150, 700, 70, 0x8c8778);
	rectangle(83, 153, 694, 64, 0xffffff);
	words(100, 170, 5, 0x22201c, typed);
	rectangle(100 + 20 * (int)strlen(typed), 165, 3, 40, 0x2f6f8f);
	rectangle(820, 150, 220, 70, button_on ? 0x4f7f3f : 0x2f6f8f);
	words(870, 172, 5, 0xffffff, button_on ? "sent" : "send");
	words(80, 270, 5, 0x5a564c, "type here, press the button, scroll");
	rectangle((int)pointer_x - 1, (int)pointer_y - 12, 3, 25, 0xc0392b);
	rectangle((int)pointer_x - 12, (int)pointer_y - 1, 25, 3, 0xc0392b);
}

static struct str
compress(void)
{
	static unsigned char *out;
	static unsigned long n;
	struct jpeg_compress_struct c;
	struct jpeg_error_mgr e;

	free(out);
	out = NULL;
	n = 0;
	c.err = jpeg_std_error(&e);
	jpeg_create_compress(&c);
	jpeg_mem_dest(&c, &out, &n);
	c.image_width = WIDTH;
	c.image_height = HEIGHT;
	c.input_components = 3;
	c.in_color_space = JCS_RGB;
	jpeg_set_defaults(&c);
	jpeg_set_quality(&c, (int)quality, TRUE);
	jpeg_start_compress(&c, TRUE);
	for (int y = 0; y < HEIGHT; y++) {
		JSAMPROW row = &picture[y][0][0];

		(void)jpeg_write_scanlines(&c, &row, 1);
	}
	jpeg_finish_compress(&c);
	jpeg_destroy_compress(&c);
	return (struct str){ (const char *)out, n };
}

/* A frame for what changed; while one is under way the next waits for it. */
static void
show(void)
{
	changed = painting;
	if (!watched || painting)
		return;
	painting = true;
	paint();
	live_frame(live, &(struct live_frame){ .token = ++token,
			     .tab = active,
			     .jpeg = compress(),
			     .width = WIDTH,
			     .height = HEIGHT,
			     .scroll_y = (int64_t)scroll,
			     .at = ts_now() });
}

/* ---- what the viewer does ---- */

static void PRINTF(1, 2) note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
}

static void
say_tabs(void)
{
	live_tabs(live, &(struct stream_tabs){ .active = active, .tabs = { tabs, ntabs } });
	for (size_t i = 0; i < ntabs; i++)
		if (tabs[i].tab == active)
			live_url(live, &(struct stream_url){ .url = tabs[i].url,
					   .failure = failure,
					   .tab = active,
					   .loading = tabs[i].loading,
					   .can_go_back = active == 1 });
}

static void
on_watch(void *arg, bool on, int64_t fps, int64_t q)
{
	(void)arg;
	watched = on;
	if (on)
		quality = q;
	note("watch %d %d %d", on, (int)fps, (int)q);
	show();
}

static void
on_taken(void *arg, int64_t t)
{
	(void)arg;
	if (t != token)
		return;
	painting = false;
	if (changed)
		show();
}

static void
on_mouse(void *arg, const struct stream_mouse *m)
{
	(void)arg;
	pointer_x = m->x;
	pointer_y = m->y;
	if (str_is(m->action, "wheel")) {
		scroll += m->dy;
		if (scroll < 0)
			scroll = 0;
	}
	if (str_is(m->action, "down") && m->x >= 820 && m->x < 1040 && m->y >= 150 && m->y < 220)
		button_on = !button_on;
	note("mouse %.*s %d %d %.*s %d %d %d %d", (int)m->action.n, m->action.p, (int)m->x,
	    (int)m->y, (int)m->button.n, m->button.p, (int)m->clicks, (int)m->modifiers, (int)m->dx,
	    (int)m->dy);
	show();
}

static void
type_text(struct str text)
{
	size_t n = strlen(typed);

	for (size_t i = 0; i < text.n && n + 1 < sizeof(typed); i++)
		typed[n++] = text.p[i];
	typed[n] = '\0';
	show();
}

static void
on_key(void *arg, const struct stream_key *k)
{
	(void)arg;
	note("key %.*s %.*s %.*s text=%.*s %d", (int)k->action.n, k->action.p, (int)k->key.n,
	    k->key.p, (int)k->code.n, k->code.p, (int)k->text.n, k->text.p, (int)k->modifiers);
	if (str_is(k->action, "down") && str_is(k->key, "Backspace") && typed[0] != '\0')
		typed[strlen(typed) - 1] = '\0';
	type_text(k->text);
}

static void
on_text(void *arg, struct str text)
{
	(void)arg;
	note("text %.*s", (int)text.n, text.p);
	type_text(text);
}

static void
on_nav(void *arg, struct str url)
{
	static char kept[LIM_START_URL + 1];

	(void)arg;
	note("nav %.*s", (int)url.n, url.p);
	snprintf(kept, sizeof(kept), "%.*s", (int)url.n, url.p);
	tabs[active - 1].url = str_of(kept);
	failure = STR_NULL;
	say_tabs();
	show();
}

static void
on_history(void *arg, int steps)
{
	(void)arg;
	note("history %d", steps);
}

static void
on_reload(void *arg)
{
	(void)arg;
	note("reload");
}

static void
on_stop(void *arg)
{
	(void)arg;
	note("stop");
}

static void
on_tab(void *arg, int64_t tab)
{
	(void)arg;
	note("tab %d", (int)tab);
	if (tab > (int64_t)ntabs) {
		live_error(live, &(struct stream_error){ .code = STR("tab_not_found"),
				     .message = STR("there is no such tab"),
				     .to = STR("tab"),
				     .field = STR("tab") });
		return;
	}
	active = tab;
	say_tabs();
	show();
}

static void
on_close_tab(void *arg, int64_t tab)
{
	(void)arg;
	note("close_tab %d", (int)tab);
	ntabs = 1;
	active = 1;
	say_tabs();
	show();
}

static void
on_dialog(void *arg, const struct stream_dialog *d)
{
	(void)arg;
	note("dialog %d %.*s", d->accept, (int)d->text.n, d->text.p);
	live_dialog_open(live, &(struct stream_dialog_open){ .tab = 1, .kind = STR("alert") });
}

static void
on_shot(void *arg)
{
	(void)arg;
	note("shot");
	live_shot_taken(live, &(struct stream_shot_taken){ .id = uuid_random(),
				  .reason = STR("request"),
				  .tab = active,
				  .url = tabs[active - 1].url,
				  .title = tabs[active - 1].title,
				  .width = WIDTH,
				  .height = HEIGHT,
				  .taken_at = ts_now() });
}

static void
on_ended(void *arg)
{
	(void)arg;
	note("ended");
	event_base_loopbreak(base);
}

static const struct live_ops ops = { on_watch, on_taken, on_mouse, on_key, on_text, on_nav,
	on_history, on_reload, on_stop, on_tab, on_close_tab, on_dialog, on_shot, on_ended };

/* ---- what happens on command ---- */

static void
do_dialog(const char *kind)
{
	live_dialog_open(live, &(struct stream_dialog_open){ .tab = 1,
				   .kind = str_of(kind),
				   .message = STR("Leave a name for the receipt?"),
				   .preset = STR("Ada"),
				   .open = true });
}

static struct net_event
event_number(int i)
{
	static const char *const paths[] = { "", "style.css", "app.js", "logo.svg",
		"api/items?page=2", "fonts/inter.woff2" };
	static const char *const types[] = { "Document", "Stylesheet", "Script", "Image", "Fetch",
		"Font" };
	static const char *const status[] = { "200", "200", "304", "200", "404", "200" };
	static const char *const mimes[] = { "text/html", "text/css", "text/javascript",
		"image/svg+xml", "application/json", "font/woff2" };
	static char urls[64][64];
	static struct net_header headers[] = { { STR_INIT("accept"), STR_INIT("*/*") },
		{ STR_INIT("cookie"), STR_INIT("[redacted]") } };
	int k = i % 6;

	snprintf(urls[i % 64], sizeof(urls[0]), "https://%s/%s",
	    k == 5 ? "cdn.example.net" : "example.com", paths[k]);
	return (struct net_event){ .id = uuid_random(),
		.at = ts_now(),
		.tab = 1,
		.kind = STR("request"),
		.method = STR("GET"),
		.url = str_of(urls[i % 64]),
		.resource_type = str_of(types[k]),
		.status = { str_of(status[k]) },
		.mime = str_of(mimes[k]),
		.remote_address = STR("93.184.216.34"),
		.remote_port = { STR("443") },
		.duration_ms = { STR("41") },
		.protocol = STR("h2"),
		.tls = { STR("TLS 1.3"), STR("AES_128_GCM"), STR("example.com"), STR("Test CA"),
		    TS_NULL },
		.request_headers = { headers, 2 },
		.bytes_sent = 120,
		.bytes_received = 1200 * (k * k + 1) };
}

static void
do_net(const char *count)
{
	struct net_event events[32];
	int n = (int)strtol(count, NULL, 10);

	for (int sent = 0; sent < n; sent += 32) {
		int some = n - sent < 32 ? n - sent : 32;

		for (int i = 0; i < some; i++)
			events[i] = event_number(sent + i);
		live_net(live, &(struct stream_net){ .events = { events, (size_t)some } });
	}
}

static void
do_title(const char *title)
{
	static char kept[100];

	snprintf(kept, sizeof(kept), "%s", title);
	tabs[0].title = str_of(kept);
	live_title(live, &(struct stream_title){ .tab = 1, .title = tabs[0].title });
}

static void
do_loading(const char *yes)
{
	tabs[0].loading = yes[0] == '1';
	say_tabs();
}

/* failed REASON: the browser shows its error page instead of the page. Without a reason it is there again. */
static void
do_failed(const char *reason)
{
	static char kept[100];

	snprintf(kept, sizeof(kept), "%s", reason);
	failure = kept[0] == '\0' ? STR_NULL : str_of(kept);
	say_tabs();
}

static void
do_shot(const char *unused)
{
	on_shot((void *)(uintptr_t)unused);
}

static void
do_crashed(const char *reloading)
{
	live_crashed(live,
	    &(struct stream_crashed){ .tab = 1, .reloading = reloading[0] == '1', .at = ts_now() });
}

static void
do_denied(const char *host)
{
	live_egress_denied(live,
	    &(struct stream_egress_denied){
		.host = str_of(host), .port = 80, .reason = STR("not public"), .at = ts_now() });
}

static void
do_cert(const char *error)
{
	live_cert(live, &(struct stream_cert){ .tab = 1,
			    .url = STR("https://expired.example/"),
			    .error = str_of(error),
			    .at = ts_now() });
}

static void
do_download(const char *name)
{
	live_download_blocked(live, &(struct stream_download_blocked){ .tab = 1,
					.url = STR("https://example.com/setup.exe"),
					.name = str_of(name),
					.at = ts_now() });
}

static void
do_expiring(const char *reason)
{
	live_expiring(live, &(struct stream_expiring){ .seconds = 60, .reason = str_of(reason) });
}

static void
do_state(const char *state)
{
	live_state(live, &(struct stream_state){ .state = str_of(state) });
}

static void
do_bye(const char *reason)
{
	live_end(live, reason, WS_NORMAL);
}

static void
do_cut(const char *unused)
{
	(void)unused;
	_exit(0);
}

static const struct {
	const char *name;
	void (*run)(const char *rest);
} commands[] = {
	{ "dialog", do_dialog },
	{ "net", do_net },
	{ "title", do_title },
	{ "loading", do_loading },
	{ "failed", do_failed },
	{ "shot", do_shot },
	{ "crashed", do_crashed },
	{ "denied", do_denied },
	{ "cert", do_cert },
	{ "download", do_download },
	{ "expiring", do_expiring },
	{ "state", do_state },
	{ "bye", do_bye },
	{ "cut", do_cut },
};

static void
on_line(int fd, short what, void *arg)
{
	static char line[4096];
	static size_t n;
	ssize_t got = read(fd, line + n, sizeof(line) - 1 - n);
	char *end;

	(void)what;
	(void)arg;
	if (got <= 0) {
		event_base_loopbreak(base);
		return;
	}
	n += (size_t)got;
	line[n] = '\0';
	while ((end = strchr(line, '\n')) != NULL) {
		char *rest = line + strcspn(line, " \n");

		*end = '\0';
		if (*rest != '\0')
			*rest++ = '\0';
		for (size_t i = 0; i < COUNT(commands); i++)
			if (strcmp(commands[i].name, line) == 0)
				commands[i].run(rest);
		n -= (size_t)(end + 1 - line);
		memmove(line, end + 1, n + 1);
	}
}

int
main(int argc, char **argv)
{
	struct event *input;

	if (argc != 2) {
		fputs("usage: live-echo SOCKET\n", stderr);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	base = event_base_new();
	live = live_new(base, argv[1], &ops, NULL);
	if (live == NULL) {
		perror(argv[1]);
		return 1;
	}
	live_hello(live, &(struct stream_hello){ .session = uuid_random(),
			     .profile = STR("windows"),
			     .country = STR("DE"),
			     .viewport = { WIDTH, HEIGHT },
			     .expires_at = { ts_now().us + 1800000000 },
			     .idle_seconds = 300 });
	live_state(live, &(struct stream_state){ .state = STR("running") });
	say_tabs();
	input = event_new(base, STDIN_FILENO, EV_READ | EV_PERSIST, on_line, NULL);
	event_add(input, NULL);
	note("ready");
	event_base_dispatch(base);
	event_free(input);
	live_free(live);
	event_base_free(base);
	return 0;
}
