# SPDX-License-Identifier: ISC
"""C-021 to C-031: media types, sizes, JSON."""
from case import GOOD, PATH, case, spec, wrong

# --- media types ----------------------------------------------------------------------------------
for media in ("application/json", "APPLICATION/JSON", "Application/Json", "application/json; charset=utf-8",
              "application/json;charset=utf-8", "application/json;charset=UTF-8", "application/json; charset=Utf-8",
              'application/json; charset="utf-8"', 'application/json; charset="UTF-8"',
              "application/json; CHARSET=utf-8", "application/json ; charset=utf-8"):
    case("C-021 %s" % media, type=media)
for media in (None, "", "text/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data",
              "application/vnd.api+json", "application/problem+json", "application/ld+json", "application/jsonp",
              "application", "application/", "json", "*/*", "application/*", "application/json; charset=utf8",
              "application/json; charset=utf-16", "application/json; charset=iso-8859-1",
              "application/json; charset=us-ascii", "application/json; charset=", 'application/json; charset=""',
              "application/json; charset='utf-8'", 'application/json; charset="utf-8', "application/json; charset",
              "application/json; version=1", "application/json; charset=utf-8; version=1",
              "application/json; version=1; charset=utf-8", "application/json; charset=utf-8; charset=utf-8",
              "application/json, application/json", "application/json charset=utf-8",
              "application/json; charset=utf-8x", "text/html; charset=utf-8", "application/ json"):
    wrong("C-021 %s" % ("no media type" if media is None else repr(media)), GOOD, "unsupported_media_type", 415,
          type=media)
wrong("C-021 two headers, the second another type", GOOD, "unsupported_media_type", 415,
      headers=[("Content-Type", "text/plain")])
wrong("C-021 two headers of the same type", GOOD, "unsupported_media_type", 415,
      headers=[("Content-Type", "application/json")])

# --- encodings ------------------------------------------------------------------------------------
for coding in ("identity", "IDENTITY"):
    case("C-022 Content-Encoding %s" % coding, headers=[("Content-Encoding", coding)])
for coding in ("gzip", "GZIP", "x-gzip", "deflate", "br", "zstd", "compress", "identity, gzip", "gzip, identity",
               "utf-8", "none"):
    wrong("C-022 Content-Encoding %s" % coding, GOOD, "unsupported_media_type", 415,
          headers=[("Content-Encoding", coding)])
case("C-022 chunked transfer", chunked=True)
wrong("C-022 chunked transfer of bad JSON", "{", "invalid_json", chunked=True)
wrong("C-022 chunked and gzip", GOOD, "unsupported_media_type", 415, chunked=True,
      headers=[("Content-Encoding", "gzip")])

# --- sizes ----------------------------------------------------------------------------------------
FULL = GOOD + " " * (32768 - len(GOOD))
case("C-023 32768 bytes", FULL)
case("C-023 32768 bytes, blanks in front", " " * (32768 - len(GOOD)) + GOOD)
case("C-023 32768 bytes in chunks", FULL, chunked=True)
wrong("C-023 32769 bytes", FULL + " ", "request_too_large", 413)
wrong("C-023 32769 bytes in chunks", FULL + " ", "request_too_large", 413, chunked=True)
wrong("C-023 100000 bytes", GOOD + " " * 100000, "request_too_large", 413)
wrong("C-023 100000 bytes in chunks", GOOD + " " * 100000, "request_too_large", 413, chunked=True)
wrong("C-023 32768 bytes of no JSON", "x" * 32768, "invalid_json")
wrong("C-023 characters are not bytes: 10923 of three bytes", "€" * 10923, "request_too_large", 413)


# --- what is no JSON ------------------------------------------------------------------------------
def bad(what, body, **more):
    wrong("C-024 " + what, body, "invalid_json", **more)


bad("empty body", "")
bad("no body at all", "", length=False)
bad("blanks alone", " \t\r\n ")
bad("an opening brace", "{")
bad("a closing brace", "}")
bad("cut in the middle", GOOD[:-2])
bad("a word", "hello")
bad("True", "True")
bad("nul", "nul")
for tail in ("x", "{}", "[]", ",", "null", "}", "//", "\x00", "#", '"'):
    bad("trailing data %r" % tail, GOOD + tail)
bad("a byte order mark", b"\xef\xbb\xbf" + GOOD.encode())
bad("a byte order mark alone", b"\xef\xbb\xbf")
bad("UTF-16", GOOD.encode("utf-16"))
bad("UTF-16 without a mark", GOOD.encode("utf-16-le"))
bad("UTF-32", GOOD.encode("utf-32-be"))
for what, data in (("FF", b"\xff"), ("FE", b"\xfe"), ("a lone continuation", b"\x80"), ("a cut sequence", b"\xe2\x82"),
                   ("an overlong slash", b"\xc0\xaf"), ("an overlong NUL", b"\xc0\x80"),
                   ("overlong in three", b"\xe0\x80\xaf"), ("overlong in four", b"\xf0\x80\x80\xaf"),
                   ("a surrogate", b"\xed\xa0\x80"), ("a pair of surrogates", b"\xed\xa0\xbd\xed\xb8\x80"),
                   ("above U+10FFFF", b"\xf4\x90\x80\x80"), ("five bytes", b"\xf8\x88\x80\x80\x80"),
                   ("Latin-1", "é".encode("latin-1"))):
    bad("invalid UTF-8 in a value: " + what, b'{"query":"' + data + b'",' + GOOD[1:].encode())
bad("invalid UTF-8 in a key", b'{"\xff":1,' + GOOD[1:].encode())
bad("invalid UTF-8 after the value", GOOD.encode() + b"\xff")
for text in ("\\ud800", "\\udc00", "\\udfff", "\\ud800\\ud800", "\\ud800x", "\\udc00\\ud800", "\\ud800\\u0041",
             "\\uD83D", "x\\uDE00"):
    bad("a lone surrogate: " + text, '{"query":"%s",' % text + GOOD[1:])
bad("a lone surrogate in a key", '{"\\ud800":1,' + GOOD[1:])
for number in ("NaN", "Infinity", "-Infinity", "nan", "01", "-01", "00", "+1", ".5", "1.", "1.e1", "1e", "1e+", "0x10",
               "-", "1_000", "--1", "1,5", "１"):
    bad("a number %s" % number, spec('{"field":"ip","limit":%s}' % number))
bad("a comment /* */", '{/* x */"aggregations":[{"field":"ip"}]}')
bad("a comment //", '{"aggregations":[{"field":"ip"}]} // x\n')
bad("a comma after the last member", '{"aggregations":[{"field":"ip"}],}')
bad("a comma after the last item", '{"aggregations":[{"field":"ip"},]}')
bad("a comma in front", '{,"aggregations":[{"field":"ip"}]}')
bad("two commas", '{"query":"",,"aggregations":[{"field":"ip"}]}')
bad("no comma", '{"query":"" "aggregations":[{"field":"ip"}]}')
bad("no colon", '{"aggregations" [{"field":"ip"}]}')
bad("no value", '{"aggregations":}')
bad("a key that is no string", '{1:2,"aggregations":[{"field":"ip"}]}')
bad("single quotes", "{'aggregations':[{'field':'ip'}]}")
bad("no quotes", "{aggregations:[{field:'ip'}]}")
bad("mismatched brackets", '{"aggregations":[{"field":"ip"}}]')
bad("an unterminated string", '{"query":"x')
bad("a raw line feed in a string", '{"query":"a\nb",' + GOOD[1:])
bad("a raw tab in a string", '{"query":"a\tb",' + GOOD[1:])
bad("a raw NUL in a string", b'{"query":"a\x00b",' + GOOD[1:].encode())
bad("a raw U+001F in a string", '{"query":"a\x1fb",' + GOOD[1:])
bad("an escape \\x", '{"query":"\\x41",' + GOOD[1:])
bad("an escape \\'", '{"query":"\\\'",' + GOOD[1:])
bad("an escape \\u12G4", '{"query":"\\u12G4",' + GOOD[1:])
bad("a short escape", '{"query":"\\u12",' + GOOD[1:])
bad("form feed as white space", "\f" + GOOD)
bad("vertical tab as white space", "\v" + GOOD)
bad("no-break space as white space", "\u00a0" + GOOD)
bad("U+2028 between tokens", '{"aggregations":\u2028[{"field":"ip"}]}')

# --- what is JSON ---------------------------------------------------------------------------------
case("C-024 white space anywhere", ' \r\n\t{ "aggregations" : [ { "field" : "services.port" , "limit" : 1 } ] }\n')
case("C-024 a pair of surrogates by escapes", '{"query":"city:\\ud83d\\ude00",' + GOOD[1:])
case("C-024 every short escape", '{"query":"\\"\\t\\n\\r x\\"",' + GOOD[1:])
case("C-024 escaped names of members", '{"\\u0061ggregations":[{"\\u0066ield":"ip"}]}', check=None)
case("C-024 U+FFFF and U+10FFFF are characters", '{"query":"city:\\"\uffff\U0010ffff\\"",' + GOOD[1:])
case("C-024 DEL is JSON, whatever the query language says of it", '{"query":"\\"\x7f\\"",' + GOOD[1:], (200, 400),
     "invalid_search_query")

# --- the top --------------------------------------------------------------------------------------
for text in ("[]", '[{"field":"ip"}]', "[" + GOOD + "]", '""', '"x"', "null", "0", "1.5", "true", "false", " null "):
    wrong("C-025 %s at the top" % text[:12], text, "invalid_request")

# --- the same key twice ---------------------------------------------------------------------------
for what, text in (
        ("query", '{"query":"a","query":"a",' + GOOD[1:]),
        ("aggregations", GOOD[:-1] + "," + GOOD[1:]),
        ("field", spec('{"field":"ip","field":"ip"}')),
        ("limit", spec('{"field":"ip","limit":1,"limit":2}')),
        ("after unescaping", '{"query":"a","\\u0071uery":"b",' + GOOD[1:]),
        ("after unescaping, in a specification", spec('{"field":"ip","\\u0066\\u0069eld":"asn"}')),
        ("unknown names", '{"x":1,"x":2,' + GOOD[1:]),
        ("unknown names, far apart", '{"x":1,"query":"",' + GOOD[1:-1] + ',"x":1}'),
        ("inside an unknown object", '{"x":{"a":1,"a":2},' + GOOD[1:]),
        ("deep inside", '{"x":[[{"y":{"a":1,"b":[],"a":2}}]],' + GOOD[1:]),
        ("an empty name", '{"":1,"":2,' + GOOD[1:]),
        ("a solidus and an escaped solidus", '{"a/b":1,"a\\/b":2,' + GOOD[1:]),
        ("a character and a pair of surrogates", '{"😀":1,"\\ud83d\\ude00":2,' + GOOD[1:]),
        ("an escaped NUL", '{"a\\u0000":1,"a\\u0000":2,' + GOOD[1:]),
        ("before null at the top is seen", '{"query":null,"query":null,' + GOOD[1:]),
        ("at the top, without aggregations", '{"a":1,"a":1}'),
        ("in an array at the top", '[{"a":1,"a":1}]')):
    wrong("C-026 twice: " + what, text, "invalid_json")
# A name with a NUL is valid JSON (RFC 8259) and no known member; it ends no name.
NUL = "invalid_request"
wrong("C-029 a name that is a NUL", '{"\\u0000":1,' + GOOD[1:], NUL)
wrong("C-029 a NUL in a name of a specification", spec('{"field":"ip","\\u0000":1}'), "invalid_aggregation")
wrong("C-026 names that differ after a NUL are two names", '{"a\\u0000b":1,"a\\u0000c":2,' + GOOD[1:], NUL)
wrong("C-026 a name cut at a NUL is not query", '{"query\\u0000":"x","query":"",' + GOOD[1:], NUL)
wrong("C-026 names in two cases are two names", '{"query":"","Query":"",' + GOOD[1:], "invalid_request")
case("C-026 the same names in two objects", '{"aggregations":[{"field":"ip"},{"field":"asn"}]}')

# --- names, null, unknown members -----------------------------------------------------------------
wrong("C-027 Query", '{"Query":"x",' + GOOD[1:], "invalid_request")
wrong("C-027 Aggregations", '{"Aggregations":[{"field":"ip"}]}', ("invalid_request", "invalid_aggregation"))
wrong("C-027 Field", spec('{"Field":"ip"}'), "invalid_aggregation")
wrong("C-027 LIMIT", spec('{"field":"ip","LIMIT":1}'), "invalid_aggregation")
wrong("C-028 query null", '{"query":null,' + GOOD[1:], "invalid_request")
wrong("C-028 aggregations null", '{"aggregations":null}', ("invalid_request", "invalid_aggregation"))
wrong("C-028 an unknown member null", '{"x":null,' + GOOD[1:], "invalid_request")
wrong("C-028 an item null", spec("null"), "invalid_aggregation")
wrong("C-028 field null", spec('{"field":null}'), "invalid_aggregation")
wrong("C-028 limit null", spec('{"field":"ip","limit":null}'), "invalid_aggregation")
wrong("C-029 an unknown member at the top", '{"x":1,' + GOOD[1:], "invalid_request")
wrong("C-029 an unknown object at the top", '{"filters":{},' + GOOD[1:], "invalid_request")
wrong("C-029 an unknown member of a specification", spec('{"field":"ip","x":1}'), "invalid_aggregation")
wrong("C-029 size for limit", spec('{"field":"ip","size":1}'), "invalid_aggregation")
wrong("C-029 limit at the top", '{"limit":1,' + GOOD[1:], "invalid_request")
wrong("C-029 an empty name", '{"":1,' + GOOD[1:], "invalid_request")
EITHER = ("invalid_json", "invalid_request", "invalid_aggregation")
wrong("C-030 1000 arrays", '{"x":' + "[" * 1000 + "]" * 1000 + "}", EITHER)
wrong("C-030 16000 arrays", '{"x":' + "[" * 16000 + "]" * 16000 + "}", EITHER)
wrong("C-030 16000 arrays at the top", "[" * 16000 + "]" * 16000, ("invalid_json", "invalid_request"))
wrong("C-030 32768 opening brackets", "[" * 32768, "invalid_json")
wrong("C-030 5000 objects", '{"a":' * 5000 + "1" + "}" * 5000, EITHER)
wrong("C-030 arrays in field", spec('{"field":' + "[" * 500 + "]" * 500 + "}"), EITHER)

# --- parameters of the URL ------------------------------------------------------------------------
for query in ("x=1", "q=x", "limit=1", "query=x", "x", "=1", "q=a&q=b", "%zz=1", "a=%00", "a=%ff"):
    wrong("C-031 ?%s" % query, GOOD, "invalid_search_parameter", path=PATH + "?" + query)
case("C-031 an empty query string", path=PATH + "?")
wrong("C-031 parameters before the body", "{", ("invalid_search_parameter", "invalid_json"), path=PATH + "?x=1")
