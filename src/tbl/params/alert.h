/* Parameters of surfaced-alert. See tbl/params.h. */
PARAM(alert_poll, ms, IN_ALERT,
	500, 10, 60000,
	"how often surfaced-alert looks for changes and due deliveries without a notification")
PARAM(delivery_days, number, IN_ALERT,
	90, 0, 36500,
	"days after which surfaced-alert deletes settled deliveries and their attempts; 0: never")
PARAM(history_days, number, IN_ALERT,
	365, 1, 3650,
	"days for which the history of hosts and registrations is kept; whole months are deleted")
PARAM(usage_days, number, IN_ALERT,
	400, 181, 36500,
	"days after which surfaced-alert deletes usage by day and the leases of quotas")
PARAM(webhook_attempts, number, IN_ALERT,
	10, 1, 1000,
	"attempts after which a delivery has failed")
PARAM(webhook_backoff, ms, IN_ALERT,
	5000, 1, 3600000,
	"about how long a delivery waits after its first attempt; each wait is four times as long")
PARAM(webhook_backoff_max, seconds, IN_ALERT,
	21600, 1, 604800,
	"the longest wait of a delivery, whatever the receiver's Retry-After is")
PARAM(webhook_ca_file, path, IN_ALERT,
	"", 0, 4000,
	"certificates that webhooks trust instead of the system's")
PARAM(webhook_parallel, number, IN_ALERT,
	64, 1, 1000,
	"webhooks sent at once")
PARAM(webhook_project, number, IN_ALERT,
	16, 1, 1000,
	"webhooks of one project sent at once")
PARAM(webhook_timeout, ms, IN_ALERT,
	15000, 100, 120000,
	"time one attempt may take, from the resolution of the name to the answer")
