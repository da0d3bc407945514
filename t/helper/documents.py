# SPDX-License-Identifier: ISC
"""What the documents of each dataset are, told from the specification, and their spread into plain SQL tables.

Nothing here comes from src/tbl. A field is a line: its name, its type, [] for a list, * for one that can be aggregated,
and what SQL makes it of, where that is not the member of its name. A new dataset is an entry of DATASETS.
"""
import re
from dataclasses import dataclass

HOST = """
asn integer*
as_name keyword*
organisation keyword*
country_code keyword*
city keyword*
hostnames name[]*
apex_domains name[]*
"""
SERVICE = """
port integer*
transport keyword*
protocol keyword*
service_name keyword*
vendor keyword*
product keyword*
version keyword*
cpe keyword[]*
banner text
banner_hash keyword*
tags keyword[]*
tags.category keyword[]* categories
tls_enabled boolean*
extra_names name[]
http.status_code integer*
http.title text*
http.body text
http.headers keyword[]*
http.server keyword*
http.body_hash keyword*
http.favicon_hash keyword*
http.favicon_md5 keyword*
http.favicon_mmh3 integer
http.capabilities keyword[]*
tls.version keyword*
tls.jarm keyword*
tls.ja4s keyword*
tls.certificate.fingerprint_sha256 keyword*
tls.certificate.subject_cn keyword*
tls.certificate.issuer_cn keyword*
tls.certificate.names name[]
tls.certificate.not_after date
tls.certificate.self_signed boolean*
"""
SEEN = """
first_seen date
last_seen date
"""


def record(number):
    """The live documents of a dataset of the table record, as SQL."""
    return f"SELECT doc::jsonb AS d, doc::jsonb AS shown FROM record WHERE dataset = {number} AND NOT gone"


@dataclass
class Dataset:
    documents: str  # SQL of the columns d, which has the fields, and shown, which the API answers
    order: str  # ORDER BY of a page, on d
    fields: str
    unit: str = ""  # of counts; without one the dataset is not counted or aggregated
    nested: str = ""  # the list of nested objects; its fields begin with this name
    names: tuple = ()  # the members by which a nested object is named in matched_<nested>


HOSTS = record(1)
# A service has the members of its host that say where it is: as members of its own in queries, below host in answers.
SERVICES = f"""SELECT s || place || jsonb_build_object('ip', x.d->'ip') AS d,
    s || jsonb_build_object('ip', x.d->'ip', 'host', place) AS shown
    FROM ({HOSTS}) AS x, jsonb_array_elements(x.d->'services') AS s,
    LATERAL (SELECT coalesce(jsonb_object_agg(k, v), '{{}}') AS place FROM jsonb_each(x.d) AS y (k, v)
        WHERE k IN ({", ".join(f"'{name}'" for name in re.findall("(?m)^[a-z_]+", HOST))})) AS z"""
# Answers have neither the text of a report nor its readers nor the members that its indicators get for queries.
REPORTS = f"""SELECT d, d - ARRAY['body', 'visibility'] || CASE WHEN d->'indicators' IS NULL THEN '{{}}' ELSE jsonb_build_object('indicators',
        (SELECT coalesce(jsonb_agg(i - ARRAY['ip', 'name'] ORDER BY n), '[]')
            FROM jsonb_array_elements(d->'indicators') WITH ORDINALITY AS y (i, n))) END AS shown
    FROM (SELECT d FROM ({record(6)}) AS w) AS x"""
DATASETS = {
    "hosts": Dataset(
        HOSTS, "(d->>'ip')::inet", "ip address*\nip_version integer*\nprefix keyword*\nregion keyword*\nptr name\nos keyword*\n"
        "cpe keyword[]*\nvulnerabilities keyword[]*\ntags keyword[]*\ntags.category keyword[]* categories\n"
        "tags.classification keyword[]* ARRAY[classification]\nservice_count integer*" + HOST + SEEN
        + re.sub(r"(?m)^(?=.)", "services.", SERVICE), "host", "services", ("port", "transport")),
    "services": Dataset(
        SERVICES,
        "(d->>'ip')::inet, (d->>'port')::int, array_position(ARRAY['tcp', 'udp', 'sctp'], d->>'transport')",
        "ip address*" + SERVICE + HOST, "service"),
    "dns": Dataset(
        record(3), "pg_temp.from_right(d->>'host'), pg_temp.number_of(d->>'record_type'), pg_temp.number_of(d->>'rcode'),"
        " pg_temp.hash_of(d->>'answer')", """
host name*
record_type keyword*
rcode keyword*
answer keyword*
answer_ip address*
answer_name name
apex_domain name*
tld keyword*
ttl integer*
wildcard boolean*
count integer
source keyword[]*""" + SEEN, "dns_record"),
    "whois": Dataset(
        record(4), "pg_temp.from_right(d->>'domain')", """
domain name
tld keyword*
whois.registrar keyword*
whois.registrar_iana_id integer*
whois.status keyword[]*
whois.dnssec boolean*
whois.nameservers name[]
whois.registrant.organisation keyword*
whois.registrant.country_code keyword*
whois.registrant.email_hash keyword*
whois.created_at date
whois.updated_at date
whois.expires_at date""" + SEEN, "whois_domain"),
    "certificates": Dataset(
        record(5), "(d->>'not_before')::timestamptz DESC, d->>'fingerprint_sha256' COLLATE \"C\"", """
fingerprint_sha256 keyword
serial_number keyword
spki_sha256 keyword*
subject.common_name keyword*
subject.organisation keyword*
subject.country_code keyword*
issuer.common_name keyword*
issuer.organisation keyword*
issuer.country_code keyword*
names name[]
apex_domains name[]*
key_algorithm keyword*
key_size integer*
signature_algorithm keyword*
validity_days integer*
self_signed boolean*
expired boolean* (d->>'not_after')::timestamptz < now()
precertificate boolean*
not_before date
not_after date
tags keyword[]*
ct.log keyword*
ct.index integer
ct.seen_at date""" + SEEN, "certificate"),
    "reports": Dataset(
        REPORTS, "(d->>'published_at')::timestamptz DESC, d->>'uuid' COLLATE \"C\"", """
uuid keyword
title text
summary text
body text
source_kind keyword*
revision integer
publisher keyword*
url keyword
language keyword*
tlp keyword*
threat_actors keyword[]*
malware_families keyword[]*
techniques keyword[]*
cves keyword[]*
sectors keyword[]*
countries keyword[]*
indicator_types keyword[]*
tags keyword[]*
published_at date
imported_at date
updated_at date
indicators.type keyword
indicators.value keyword
indicators.ip address
indicators.name name
indicators.labels keyword[]
indicators.first_seen date
indicators.last_seen date""" + SEEN, "report", "indicators", ("type", "value")),
    "open-directories": Dataset(
        record(7), "d->>'host' IS NOT NULL, CASE WHEN d->>'host' IS NULL THEN (d->>'ip')::inet END,"
        " pg_temp.from_right(d->>'host'), (d->>'port')::int, pg_temp.hash_of(d->>'path')", """
url keyword
ip address
port integer
host name
path keyword
title text
server keyword
file_count integer
total_size integer
truncated boolean
tags keyword[]
files.name keyword
files.extension keyword
files.size integer
files.modified_at date
files.sha256 keyword""" + SEEN, "", "files", ("name",)),
}
FUNCTIONS = """
CREATE FUNCTION pg_temp.from_right(name text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT string_agg(label, chr(1) ORDER BY n DESC) || chr(1) COLLATE "C"
    FROM unnest(string_to_array(name, '.')) WITH ORDINALITY AS x (label, n) $$;
CREATE FUNCTION pg_temp.hash_of(answer text) RETURNS bytea IMMUTABLE LANGUAGE sql AS $$
    SELECT CASE WHEN answer IS NULL THEN '' ELSE substr(sha256(convert_to(answer, 'UTF8')), 1, 16) END $$;
CREATE FUNCTION pg_temp.number_of(name text) RETURNS int IMMUTABLE LANGUAGE sql AS $$
    SELECT ('{"A": 1, "NS": 2, "CNAME": 5, "PTR": 12, "MX": 15, "TXT": 16, "AAAA": 28, "SRV": 33,
        "NOERROR": 0, "SERVFAIL": 2, "NXDOMAIN": 3, "REFUSED": 5}'::jsonb->>name)::int $$
"""
CASTS = {"integer": "bigint", "boolean": "boolean", "date": "timestamptz", "address": "inet"}


class Field:
    """One field: its type, its column, and the table that has it: h of documents or n of nested objects."""

    def __init__(self, line, nested):
        self.name, mark, *made = line.split(" ", 2)
        self.type, self.list, self.aggregatable = re.fullmatch(r"(\w+)(\[\])?(\*)?", mark).groups()
        self.made = made[0] if made else None
        self.nested = bool(nested) and self.name.startswith(nested + ".")
        self.member = self.name.removeprefix(nested + ".") if self.nested else self.name
        self.table, self.column = ("n" if self.nested else "h"), "f_" + re.sub(r"[^a-z0-9]", "_", self.member)

    def sql(self):
        """Its value in the document d."""
        if self.made and self.list:
            return (f"ARRAY(SELECT DISTINCT c FROM tag, unnest({self.made}) c"
                    f" WHERE slug IN (SELECT jsonb_array_elements_text(d->'tags')))")
        if self.made:
            return self.made
        path = "'{" + self.member.replace(".", ",") + "}'"
        if self.list:
            return f"ARRAY(SELECT DISTINCT x FROM jsonb_array_elements_text(d#>{path}) x)"
        return f"(d#>>{path})::{CASTS.get(self.type, 'text')}"


class Documents:
    """The documents of a dataset in two temporary tables: h, whose id is the place in the fixed order, and n."""

    def __init__(self, psql, name):
        self.psql, self.name, self.set = psql, name, DATASETS[name]
        self.fields = [Field(line, self.set.nested) for line in self.set.fields.split("\n") if line]
        self.member = name.replace("-", "_")
        psql.run("SET jit = off; SET work_mem = '256MB'; SET timezone = 'UTC'; SET client_min_messages = warning")
        psql.run(FUNCTIONS)
        columns = "".join(f", {f.sql()} AS {f.column}" for f in self.fields if not f.nested)
        psql.run(f"CREATE TEMP TABLE h AS SELECT row_number() OVER (ORDER BY {self.set.order}) AS id, d, shown{columns}"
                 f" FROM ({self.set.documents}) AS documents; CREATE UNIQUE INDEX ON h (id); ANALYZE h")
        if self.set.nested:
            columns = "".join(f", {f.sql()} AS {f.column}" for f in self.fields if f.nested)
            psql.run(f"CREATE TEMP TABLE n AS SELECT id{columns} FROM"
                     f" (SELECT id, jsonb_array_elements(d->'{self.set.nested}') AS d FROM h) AS x; ANALYZE n")

    def match(self, condition):
        """Keeps the documents that pass in the table m; returns their number."""
        self.psql.run(f"DROP TABLE IF EXISTS m; CREATE TEMP TABLE m AS SELECT id FROM h WHERE {condition}; ANALYZE m")
        return self.psql.rows("SELECT count(*) FROM m")[0][0]

    def page(self, first, limit):
        """The matching documents from a place on, in the fixed order."""
        return [row[0] for row in self.psql.rows(
            f"SELECT shown FROM h JOIN m USING (id) ORDER BY id OFFSET {first} LIMIT {limit}")]

    def facet(self, field, limit):
        """What the group of a field must say of the documents in m: (buckets, has_more)."""
        value = f"unnest({field.column})" if field.list else field.column
        order, shown, keep = "v", "v", ""
        if field.type == "address":
            shown = "host(v)"
        elif field.type not in ("integer", "boolean"):
            order, keep = 'v COLLATE "C"', " AND v <> '' AND length(v) <= 4096"
        rows = self.psql.rows(
            f"SELECT {shown} AS s, count(DISTINCT id) AS c FROM (SELECT id, {value} AS v FROM {field.table} JOIN m USING (id)) x"
            f" WHERE v IS NOT NULL{keep} GROUP BY v ORDER BY c DESC, {order} LIMIT {limit + 1}")
        return [(v, n) for v, n in rows[:limit]], len(rows) > limit

    def samples(self, field):
        """Some values of a field as texts, the same ones in each run."""
        value = f"unnest({field.column})" if field.list else field.column
        shown = "host(v)" if field.type == "address" else "v::text"
        return [row[0] for row in self.psql.rows(
            f"SELECT {shown} AS s FROM (SELECT {value} AS v, id FROM {field.table}) x WHERE v IS NOT NULL"
            f" ORDER BY hashint8(id), v::text LIMIT 400")]
