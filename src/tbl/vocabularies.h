/* VOCABULARY(field, values): fields of hosts that may only have these values; imports check them. */
VOCABULARY("services.transport",	"tcp, udp, sctp")
