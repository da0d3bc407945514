/* The detectors: DETECTOR(id, word, name, help). word ends the identifier of its operation; name
   stands in the column finding.detector, in paths of the API and in the settings of projects. Each
   but rules is a struct detector of surfaced-detect (src/detect/detector.h); rules are evaluated by
   themselves (src/detect/detect.h), and only the settings of their findings are here. */
DETECTOR(INVENTORY,		"inventory",		"inventory",		"Adds known hosts, addresses and services below the project's seed domains to its inventory.")
DETECTOR(DANGLING_DNS,		"dangling_dns",		"dangling-dns",		"Finds DNS records that point to names or addresses which a stranger could take over.")
DETECTOR(TYPOSQUATTING,		"typosquatting",	"typosquatting",	"Finds domains that resemble a watched one.")
DETECTOR(SECRETS,		"secrets",		"secrets",		"Finds credentials and sensitive files that are exposed.")
DETECTOR(THREAT_INDICATORS,	"threat_indicators",	"threat-indicators",	"Finds assets that threat reports name as indicators.")
DETECTOR(RULES,			"rules",		"rules",		"Turns observations of detection rules into findings.")
