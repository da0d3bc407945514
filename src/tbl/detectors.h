/* The detectors: DETECTOR(id, name, help). name stands in the column finding.detector, in paths of the API and in the
   settings of projects. Each but rules is a struct detector of surfaced-detect (src/detect/detector.h); rules are
   evaluated by themselves (src/detect/detect.h), and only the settings of their findings are here. */
DETECTOR(INVENTORY,		"inventory",		"Adds what the datasets know below the domains that are seeds to the assets and services of the project.")
DETECTOR(DANGLING_DNS,		"dangling-dns",		"Finds DNS records that lead to names or addresses which somebody else could take.")
DETECTOR(TYPOSQUATTING,		"typosquatting",	"Finds domains that resemble a watched one.")
DETECTOR(SECRETS,		"secrets",		"Finds credentials and sensitive files that are exposed.")
DETECTOR(THREAT_INDICATORS,	"threat-indicators",	"Finds assets that threat reports name as indicators.")
DETECTOR(RULES,			"rules",		"Makes findings of the observations of detection rules.")
