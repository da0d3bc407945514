# SPDX-License-Identifier: ISC
"""C-001 to C-020: routing, authentication, account overrides, the order of checks."""
from case import GOOD, PATH, case, wrong
from check import must

UNAUTHORIZED = (401,)


def refused(name, **more):
    case(name, more.pop("body", GOOD), 401, "unauthorized", **more)


# --- routing --------------------------------------------------------------------------------------
case("C-001 the operation is under /api/v1")
case("C-001 without /api/v1 there is nothing", status=404, code="not_found", url=PATH, search=None)
case("C-001 another version is nothing", status=404, code="not_found", url="/api/v2" + PATH, search=None)
case("C-001 an unknown operation", status=404, code="not_found", path="/search/hosts/aggregate/more", search=None)
case("C-001 an unknown dataset", status=404, code="not_found", path="/search/planets/aggregate", search=None)
case("C-001 a trailing slash is another path", status=404, code="not_found", path=PATH + "/", search=None)
case("C-001 paths are case-sensitive", status=404, code="not_found", path="/search/Hosts/aggregate", search=None)
case("C-001 an encoded slash is another path", status=404, code="not_found", path="/search%2Fhosts/aggregate",
     search=None)
case("C-001 a dot segment is another path", status=404, code="not_found", path="/search/./hosts/aggregate",
     search=None)
case("C-014 route comes before authentication", status=404, code="not_found", path="/search/nothing", key=None,
     search=None)


def allows_post(_answer, reply):
    must("POST" in reply.header("allow"), "C-705: Allow is %r" % reply.header("allow"))


for method in ("GET", "PUT", "DELETE", "PATCH"):
    case("C-019 %s is refused with Allow" % method, status=405, code="method_not_allowed", method=method,
         check=allows_post)
case("C-014 method comes before authentication", status=405, code="method_not_allowed", method="PUT", key=None)
case("C-002 plain HTTP on the TLS socket fails and is not redirected", status=(400, 426, 403, 497), code=None,
     plain=True, search=None)

# --- authentication -------------------------------------------------------------------------------
refused("C-003 no key", key=None)
refused("C-003 an empty key", key="")
refused("C-003 a key of blanks", key="   ")
refused("C-003 a malformed key", key="nonsense")
refused("C-003 an unknown key of the right form", key="UNKNOWN")
refused("C-003 a very long key", key="x" * 4000)
refused("C-003 a revoked key", key="REVOKED")
refused("C-003 an expired key", key="EXPIRED")
refused("C-003 a key in quotes", key="QUOTED")
refused("C-003 bytes above ASCII in the key", key="\u00fc\u00e9\u00ff")
refused("C-006 the prefix of a key does not authenticate", key="PREFIX")
refused("C-006 a key with a character more", key="LONGER")
refused("C-006 a key with a character less", key="SHORTER")
refused("C-006 a key in the other case", key="SWAPPED")
refused("C-004 a key in Authorization", key=None, headers=[("Authorization", "Bearer {KEY}")])
refused("C-004 a key in a cookie", key=None, headers=[("Cookie", "X-API-Key={KEY}; api_key={KEY}")])
refused("C-004 a key in the query", key=None, path=PATH + "?api_key={KEY}")
refused("C-004 a key in the body", key=None, body='{"api_key":"{KEY}",' + GOOD[1:])
refused("C-005 the header twice, the same key", headers=[("X-API-Key", "{KEY}")])
refused("C-005 the header twice, the second wrong", headers=[("X-API-Key", "wrong")])
refused("C-005 the header twice, the first wrong", key="wrong", headers=[("X-API-Key", "{KEY}")])
refused("C-005 the header twice, the second empty", headers=[("X-API-Key", "")])
refused("C-005 two keys joined by a comma", key="JOINED")
case("C-003 the name of the header in any case", key=None, headers=[("x-aPi-kEy", "{KEY}")])


def says_no_key(_answer, reply):
    must(b"{KEY}" not in reply.body, "C-007")
    must(reply.keys_in_reply() == [], "C-007: the answer holds a key")


case("C-007 no error shows the key", '{"aggregations":[{"field":"{KEY}"}]}', 400, "invalid_aggregation")
case("C-007 an unauthorised answer shows no key", status=401, code="unauthorized", key="LONGER", check=says_no_key)
case("C-008 a key without the scope", status=403, code="permission_denied", key="KEY_VIEW")
case("C-008 an inactive account", status=403, code="permission_denied", key="KEY_INACTIVE")
case("C-009 search.aggregate alone is enough", key="KEY_AGGREGATE")
case("C-009 search.aggregate does not imply search.view", status=403, code="permission_denied",
     method="GET", path="/search/schemas", key="KEY_AGGREGATE")
case("C-009 search.view is enough for the schemas", method="GET", path="/search/schemas", key="KEY_VIEW")
case("C-010 a scope the account may no longer have", status=403, code="permission_denied", key="KEY_WITHDRAWN")
case("C-012 no proof against CSRF is asked of a key", headers=[("Origin", "https://evil.example"),
                                                             ("Cookie", "session=1")])
case("C-017 search not enabled for the organisation", status=503, code="entitlement_required", key="KEY_NOSEARCH")

# --- overrides of the account ---------------------------------------------------------------------
OVERRIDE = "api_key_account_override"
for name in ("org_uuid", "organisation_uuid", "organization_id", "account_uuid"):
    wrong("C-011 query %s" % name, GOOD, OVERRIDE, path=PATH + "?%s=7be10000-0000-4000-8000-000000000000" % name)
    wrong("C-011 body %s" % name, '{"%s":"x",' % name + GOOD[1:], OVERRIDE)
wrong("C-011 query, empty", GOOD, OVERRIDE, path=PATH + "?org_uuid=")
wrong("C-011 query, without a value", GOOD, OVERRIDE, path=PATH + "?org_uuid")
wrong("C-011 query, an encoded name", GOOD, OVERRIDE, path=PATH + "?%6Frg_uuid=x")
wrong("C-011 query, the own account", GOOD, OVERRIDE, path=PATH + "?org_uuid={ACCOUNT}")
wrong("C-011 query, beside an unknown parameter", GOOD, OVERRIDE, path=PATH + "?x=1&org_uuid=1")
wrong("C-011 on another operation", None, OVERRIDE, method="GET", path="/search/schemas?account_uuid=1")
wrong("C-011 body, null", '{"org_uuid":null,' + GOOD[1:], OVERRIDE)
wrong("C-011 body, an object", '{"account_uuid":{},' + GOOD[1:], OVERRIDE)
wrong("C-011 body, before the schema", '{"org_uuid":"x"}', OVERRIDE)
wrong("C-011 body, an escaped name", '{"\\u006frg_uuid":"x",' + GOOD[1:], OVERRIDE)
for name in ("X-Org-UUID", "x-org-uuid", "X-Organisation-UUID", "X-Organisation-ID", "X-Organization-UUID",
             "X-Organization-ID", "X-Account-UUID", "X-Account-ID", "X-Organisation-Name", "X-Account-Anything"):
    wrong("C-011 header %s" % name, GOOD, OVERRIDE, headers=[(name, "7be10000-0000-4000-8000-000000000000")])
wrong("C-011 header, empty", GOOD, OVERRIDE, headers=[("X-Org-UUID", "")])
wrong("C-011 header, the own account", GOOD, OVERRIDE, headers=[("X-Account-UUID", "{ACCOUNT}")])
wrong("C-011 header on another operation", None, OVERRIDE, method="GET", path="/search/schemas",
      headers=[("X-Org-UUID", "x")])

# --- the order of checks --------------------------------------------------------------------------
refused("C-015 no key and a bad body", key=None, body="{")
refused("C-015 no key and a wrong type", key=None, type="text/plain")
refused("C-015 no key and too large", key=None, body=GOOD + " " * 40000)
refused("C-014 no key and an override in the query", key=None, path=PATH + "?org_uuid=x")
refused("C-014 no key and an override in a header", key=None, headers=[("X-Org-UUID", "x")])
refused("C-014 no key and an override in the body", key=None, body='{"org_uuid":"x",' + GOOD[1:])
refused("C-014 no key and an unknown parameter", key=None, path=PATH + "?x=1")
wrong("C-014 an override in the query and no scope", GOOD, OVERRIDE, key="KEY_VIEW", path=PATH + "?org_uuid=x")
wrong("C-014 an override in the query of an inactive account", GOOD, OVERRIDE, key="KEY_INACTIVE",
      path=PATH + "?org_uuid=x")
case("C-014 an inactive account and no scope: account state", status=403, code="permission_denied",
     key="KEY_INACTIVE", body="{")
case("C-015 no scope and a bad body", "{", 403, "permission_denied", key="KEY_VIEW")
case("C-014 no scope and a wrong type", status=403, code="permission_denied", key="KEY_VIEW", type="text/plain")
case("C-014 no scope and too large", GOOD + " " * 40000, 403, "permission_denied", key="KEY_VIEW")
case("C-014 no scope and an override in the body", '{"org_uuid":"x"}', 403, "permission_denied", key="KEY_VIEW")
case("C-014 no entitlement and a bad body", "{", 503, "entitlement_required", key="KEY_NOSEARCH")
wrong("C-016 wrong type and too large", GOOD + " " * 40000, "unsupported_media_type", 415, type="text/plain")
wrong("C-016 wrong encoding and too large", GOOD + " " * 40000, "unsupported_media_type", 415,
      headers=[("Content-Encoding", "gzip")])
wrong("C-016 too large and no JSON", "{" * 32769, "request_too_large", 413)
wrong("C-016 too large and no aggregation", "{}" + " " * 40000, "request_too_large", 413)
wrong("C-014 wrong type and no JSON", "{", "unsupported_media_type", 415, type="text/plain")
wrong("C-014 JSON before the schema", '{"x":1,}', "invalid_json")
wrong("C-014 JSON before an override in the body", '{"org_uuid":"x",', "invalid_json")

# --- envelopes of errors nginx finds (C-019, C-060 to C-063) --------------------------------------
case("C-019 a header that is too large", status=(400, 431), code=None, headers=[("X-Long", "x" * 200000)],
     search=None)
case("C-019 a malformed length", GOOD, (400,), None, length=False, headers=[("Content-Length", "x")], search=None)
case("C-019 a body beyond every limit", " " * 3000000, 413, "request_too_large")
case("C-063 a client's own request id is not taken", headers=[("X-Request-Id", "mine-0000")],
     check=lambda _a, r: must(r.header("x-request-id") != "mine-0000", "C-063"))
case("C-063 nor one with odd bytes", status=400, code="invalid_json", body="{",
     headers=[("X-Request-Id", "a b\"c")])
