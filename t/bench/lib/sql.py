# SPDX-License-Identifier: ISC
"""The SQL of both rivals. Three ways each, and the best time of them counts for the rival:

  terms    one array of all terms filters and is counted
  columns  narrow arrays, one a field, filter and are counted, six groupings in one statement
  mixed    the narrow arrays filter, the one array is counted
"""
from corpus import FACETS, LIMIT, SHIFT

VARIANTS = ("terms", "columns", "mixed")
COLUMNS = ("ports", "country", "tags", "stags", "products", "asn")
SCALAR = ("country", "asn")


def term(corpus, facet, value):
    return (facet << SHIFT) + corpus.ids[facet][value]


def column_test(corpus, has, facet, value):
    name = COLUMNS[facet]
    number = value if facet == 0 else corpus.ids[facet][value]
    if name in SCALAR:
        return "%s = %d" % (name, number + 1)
    return "%s(%s, %d)" % (has, name, number)


def where(corpus, has, variant, tree):
    if tree is None:
        return "1 = 1"
    kind = tree[0]
    if kind == "has":
        if variant == "terms":
            return "%s(terms, %d)" % (has, term(corpus, tree[1], tree[2]))
        return column_test(corpus, has, tree[1], tree[2])
    if kind == "word":
        return "%s(words, %d)" % (has, corpus.words[tree[1]])
    if kind == "net":
        return "ip4 BETWEEN %d AND %d" % (tree[1], tree[2])
    if kind == "not":
        return "NOT (%s)" % where(corpus, has, variant, tree[1])
    parts = [where(corpus, has, variant, t) for t in tree[1:]]
    return "(" + (" %s " % kind.upper()).join(parts) + ")"


def clickhouse(corpus, variant, tree):
    test = where(corpus, "has", variant, tree)
    test = "" if tree is None else " WHERE " + test
    if variant != "columns":
        return (
            "SELECT bitShiftRight(t, %d) AS f, t, c FROM (SELECT arrayJoin(terms) AS t, count() AS c"
            " FROM hosts%s GROUP BY t) ORDER BY f, c DESC LIMIT %d BY f"
        ) % (SHIFT, test, LIMIT + 1)
    parts = []
    for facet, name in enumerate(COLUMNS):
        value = name if name in SCALAR else "arrayJoin(%s)" % name
        drop = " HAVING v != 0" if name in SCALAR else ""
        parts.append(
            "SELECT toUInt32(%d) AS f, toUInt32(v) AS t, c FROM (SELECT %s AS v, count() AS c"
            " FROM hosts%s GROUP BY v%s ORDER BY c DESC LIMIT %d)"
            % (facet, value, test, drop, LIMIT + 1)
        )
    return " UNION ALL ".join(parts)


def duckdb(corpus, variant, tree):
    test = where(corpus, "list_contains", variant, tree)
    test = "" if tree is None else " WHERE " + test
    if variant != "columns":
        return (
            "SELECT t >> %d AS f, t, c FROM (SELECT t, count(*) AS c FROM"
            " (SELECT unnest(terms) AS t FROM hosts%s) GROUP BY t)"
            " QUALIFY row_number() OVER (PARTITION BY t >> %d ORDER BY c DESC) <= %d"
        ) % (SHIFT, test, SHIFT, LIMIT + 1)
    parts = []
    for facet, name in enumerate(COLUMNS):
        value = name if name in SCALAR else "unnest(%s)" % name
        drop = " WHERE v <> 0" if name in SCALAR else ""
        parts.append(
            "(SELECT %d AS f, v::UINTEGER AS t, count(*) AS c FROM (SELECT %s AS v FROM hits)%s"
            " GROUP BY v ORDER BY c DESC LIMIT %d)" % (facet, value, drop, LIMIT + 1)
        )
    hits = "SELECT %s FROM hosts%s" % (", ".join(COLUMNS), test)
    kept = "" if tree is None else "MATERIALIZED "
    return "WITH hits AS %s(%s) %s" % (kept, hits, " UNION ALL ".join(parts))


def answer(corpus, variant, rows):
    """Rows (facet, number, count) as lists of (value, count) by facet, largest first."""
    out = [[] for _ in FACETS]
    for facet, number, count in rows:
        if variant != "columns":
            value = corpus.values[facet][number & ((1 << SHIFT) - 1)]
        elif facet == 0:
            value = number
        else:
            value = corpus.values[facet][number - (COLUMNS[facet] in SCALAR)]
        out[facet].append((value, count))
    for group in out:
        group.sort(key=lambda vc: (-vc[1], str(vc[0])))
    return out
