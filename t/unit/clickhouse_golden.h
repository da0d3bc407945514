/* SPDX-License-Identifier: ISC */
/* GOLDEN(dataset, query, condition behind "gone = 0"): the statement of each node on each kind of field. A value of a
   dictionary has the number 1 of its field. */
GOLDEN(HOSTS, "*", "")
GOLDEN(HOSTS, "os:linux",
	" AND has(d_os, 201326593)")
GOLDEN(HOSTS, "os:=Linux",
	" AND has(d_os, 201326593)")
GOLDEN(HOSTS, "-os:linux",
	" AND (NOT has(d_os, 201326593))")
GOLDEN(HOSTS, "os:*",
	" AND notEmpty(d_os)")
GOLDEN(HOSTS, "os:l?n*",
	" AND has(d_os, 201326593)")
GOLDEN(HOSTS, "os:linux OR country:DE",
	" AND (has(d_os, 201326593) OR has(d_country_code, 100663297))")
GOLDEN(HOSTS, "asn:64500",
	" AND has(i_asn, 64500)")
GOLDEN(HOSTS, "asn:{64500,64501}",
	" AND arrayExists(x -> x IN (64500, 64501), i_asn)")
GOLDEN(HOSTS, "asn:>5",
	" AND arrayExists(x -> (x > 5), i_asn)")
GOLDEN(HOSTS, "last_seen:>=1970-01-02",
	" AND arrayExists(x -> (x >= 86400000000), i_last_seen)")
GOLDEN(HOSTS, "ip:192.0.2.0/24",
	" AND ((place >= unhex('04C0000200') AND place <= unhex('04C00002FF')))")
GOLDEN(HOSTS, "ip:2001:db8::/32",
	" AND ((place >= unhex('0620010DB8000000000000000000000000') AND place <= unhex('0620010DB8FFFFFFFFFFFFFFFFFFFFFFFF')))")
GOLDEN(HOSTS, "ip:>192.0.2.1",
	" AND (place > unhex('04C0000201'))")
GOLDEN(HOSTS, "hostnames:example.com",
	" AND arrayExists(x -> (x = unhex('6578616D706C652E636F6D') OR endsWith(x, concat('.', unhex('6578616D706C652E636F6D')))), n_hostnames)")
GOLDEN(HOSTS, "hostnames:=example.com",
	" AND has(n_hostnames, unhex('6578616D706C652E636F6D'))")
GOLDEN(HOSTS, "hostnames:*.example.com",
	" AND arrayExists(x -> (x LIKE unhex('252E6578616D706C652E636F6D')), n_hostnames)")
GOLDEN(HOSTS, "port:22",
	" AND has(u_services_port, 22)")
GOLDEN(HOSTS, "port:>8000",
	" AND arrayExists(x -> (x > 8000), u_services_port)")
GOLDEN(HOSTS, "services.banner:\"a b\"",
	" AND (arrayExists(a -> (has(a, 17695689747116395988) AND has(a, 1620972775262626681)), nested_words))")
GOLDEN(HOSTS, "services.banner:a",
	" AND ((has(words, 17695689747116395988)))")
GOLDEN(HOSTS, "services.banner:=a",
	" AND ((has(words, 16823258895066214042)))")
GOLDEN(HOSTS, "services.banner:abc*",
	" AND arrayExists(a -> arrayExists(x -> (x LIKE unhex('61626325')), a), t_services_banner)")
GOLDEN(HOSTS, "services.banner:*",
	" AND (has(words, 7284503831010581875))")
GOLDEN(HOSTS, "services.http.title:=Home",
	" AND arrayExists(a -> has(a, unhex('486F6D65')), n_services_http_title)")
GOLDEN(HOSTS, "services.http.headers:\"server: x\"",
	" AND (arrayExists(a -> has(a, unhex('7365727665723A2078')), n_services_http_headers) OR arrayExists(a -> has(a, unhex('7365727665723A2078')), f_services_http_headers))")
GOLDEN(HOSTS, "services.http.headers:server*",
	" AND (arrayExists(a -> arrayExists(x -> (x LIKE unhex('73657276657225')), a), n_services_http_headers) OR arrayExists(a -> arrayExists(x -> (x LIKE unhex('73657276657225')), a), f_services_http_headers))")
GOLDEN(HOSTS, "services.banner_hash:*",
	" AND arrayExists(a -> notEmpty(a), n_services_banner_hash)")
GOLDEN(HOSTS, "services.banner_hash:a*%_",
	" AND (arrayExists(a -> arrayExists(x -> (x LIKE unhex('61255C255C5F')), a), n_services_banner_hash) OR arrayExists(a -> arrayExists(x -> (x LIKE unhex('61255C255C5F')), a), f_services_banner_hash))")
GOLDEN(HOSTS, "services:(port:22 product:ssh)",
	" AND arrayExists((s0, s1) -> (has(s0, 22) AND has(s1, 436207617)), i_services_port, d_services_product)")
GOLDEN(HOSTS, "services:(-tls_enabled:true)",
	" AND arrayExists((s0) -> (NOT has(s0, 1)), i_services_tls_enabled)")
GOLDEN(HOSTS, "tags.category:malware",
	" AND has(d_tags_category, 268435457)")
GOLDEN(SERVICES, "*",
	" AND 1 AND arrayExists((s0) -> 1, nested_key)")
GOLDEN(SERVICES, "port:22",
	" AND arrayExists((s0) -> has(s0, 22), i_services_port)")
GOLDEN(SERVICES, "country:DE -port:22",
	" AND has(d_country_code, 100663297) AND arrayExists((s0, s1) -> (s0 AND (NOT has(s1, 22))), arrayResize(emptyArrayUInt8(), length(nested_key), has(d_country_code, 100663297)), i_services_port)")
GOLDEN(SERVICES, "ip:192.0.2.0/24 product:ssh",
	" AND ((place >= unhex('04C0000200') AND place <= unhex('04C00002FF'))) AND arrayExists((s0, s1) -> (s0 AND has(s1, 436207617)), arrayResize(emptyArrayUInt8(), length(nested_key), ((place >= unhex('04C0000200') AND place <= unhex('04C00002FF')))), d_services_product)")
GOLDEN(DNS, "host:example.com",
	" AND ((place >= unhex('636F6D016578616D706C6501') AND place < unhex('636F6D016578616D706C6502')))")
GOLDEN(DNS, "answer_ip:192.0.2.1",
	" AND arrayExists(x -> ((x >= unhex('04C0000201') AND x <= unhex('04C0000201'))), n_answer_ip)")
GOLDEN(DNS, "answer_ip:*",
	" AND notEmpty(n_answer_ip)")
GOLDEN(DNS, "record_type:A",
	" AND has(d_record_type, 16777217)")
GOLDEN(WHOIS, "domain:example.com",
	" AND ((place >= unhex('636F6D016578616D706C6501') AND place < unhex('636F6D016578616D706C6502')))")
GOLDEN(CERTIFICATES, "expired:true",
	" AND arrayExists(x -> (x < 1000000), i_not_after)")
GOLDEN(CERTIFICATES, "expired:*",
	" AND notEmpty(i_not_after)")
GOLDEN(CERTIFICATES, "fingerprint_sha256:abababababababababababababababababababababababababababababababab",
	" AND has(n_fingerprint_sha256, unhex('61626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162616261626162'))")
GOLDEN(REPORTS, "indicators:(type:domain name:example.com)",
	" AND arrayExists((s0, s1) -> (has(s0, 402653185) AND arrayExists(x -> (x = unhex('6578616D706C652E636F6D') OR endsWith(x, concat('.', unhex('6578616D706C652E636F6D')))), s1)), d_indicators_type, n_indicators_name)")
GOLDEN(DIRECTORIES, "files:(extension:ps1 size:>1000)",
	" AND arrayExists((s0, s1) -> (has(s0, 234881025) AND arrayExists(x -> (x > 1000), s1)), d_files_extension, i_files_size)")
