/* The severity of a finding of the AI surface that a service answers without a login, by the
   category of the product: NO_LOGIN_SEVERITY(exposure_kind, severity). The programs of the critical
   categories run code for their users, or hold keys of other services. surfacectl derives such a
   rule from each rule of these categories (src/cli/rule/rule_derive.c). */
NO_LOGIN_SEVERITY("ai/inference",	"high")
NO_LOGIN_SEVERITY("ai/gateway",		"critical")
NO_LOGIN_SEVERITY("ai/agent",		"critical")
NO_LOGIN_SEVERITY("ai/mcp",		"high")
NO_LOGIN_SEVERITY("ai/notebook",	"critical")
NO_LOGIN_SEVERITY("ai/image",		"critical")
NO_LOGIN_SEVERITY("ai/vector",		"high")
NO_LOGIN_SEVERITY("ai/training",	"high")
