/* The severity of a finding threat_indicator by the confidence of the surest report:
   INDICATOR_SEVERITY(at_least, severity), from the surest on. 90 is an indicator of STIX or of MISP
   with to_ids, 80 a defanged one in a list of a report's indicators. */
INDICATOR_SEVERITY(80,	"high")
INDICATOR_SEVERITY(0,	"medium")
