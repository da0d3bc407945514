/* Parameters of surfaced-runner. See tbl/params.h. */
PARAM(browser, path, IN_RUNNER,
	"/usr/lib/chromium/chromium-headless-shell", 1, 4000,
	"the browser that surfaced-runner starts")
PARAM(bubblewrap, path, IN_RUNNER,
	"/usr/bin/bwrap", 1, 4000,
	"program that puts a browser into its sandbox")
PARAM(shot_interval, ms, IN_RUNNER,
	60000, 1000, 3600000,
	"how long after a screenshot the next one is taken if the page has changed")
