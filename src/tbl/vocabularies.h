/* VOCABULARY(field, values): fields of hosts that have these values alone, as imports check them. */
VOCABULARY("services.transport",	"tcp, udp, sctp")
