# SPDX-License-Identifier: ISC
"""Random queries of the grammar (C-720 to C-726), each beside the SQL that means the same of t/helper/documents.py."""
import re

KEYWORDS = {"and", "or", "not", "to"}


def literal(text):
    """A text as SQL, whose braces are doubled for str.format."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "\\'").replace("{", "{{").replace("}", "}}") + "'"


def folded(sql):
    return f'lower({sql} COLLATE "und-x-icu")'


def like(pattern):
    """A pattern of ours as one of LIKE."""
    return literal(re.sub(r"([\\%_])", r"\\\1", pattern).replace("*", "%").replace("?", "_"))


class Queries:
    def __init__(self, documents, rng):
        self.rng, self.set = rng, documents.set
        self.fields = documents.fields
        self.own = [f for f in self.fields if not f.nested]
        self.nested = [f for f in self.fields if f.nested]
        self.samples = {f.name: documents.samples(f) for f in self.fields}

    def quoted(self, text):
        bare = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.]*", text) and text.lower() not in KEYWORDS
        if bare and self.rng.random() < 0.5:
            return text
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def value(self, field):
        pool = self.samples[field.name]
        return self.rng.choice(pool) if pool else {"date": "2026-01-01", "address": "192.0.2.1", "boolean": "true"}.get(
            field.type, "1")

    def test(self, field, shown):
        """A test of a field: (query text, SQL over the row that has it)."""
        def each(condition):
            if field.list:
                return f"EXISTS (SELECT 1 FROM unnest({field.column}) v WHERE {condition.format(v='v')})"
            return f"coalesce({condition.format(v=field.column)}, false)"

        if self.rng.random() < 0.07:
            known = f"cardinality({field.column}) > 0" if field.list else f"{field.column} IS NOT NULL"
            return self.rng.choice([f"{shown}:*", f"_exists_:{shown}"]), known
        if self.rng.random() < 0.2:
            shown = shown.upper()
        return getattr(self, "test_" + field.type)(field, shown, each)

    def test_integer(self, field, shown, each):
        value, other = int(self.value(field)), int(self.value(field))
        low, high = sorted([value, other])
        form = self.rng.randrange(7)
        if form == 0:
            return f"{shown}:{value},{other}", each(f"{{v}} IN ({value}, {other})")
        if form == 1:
            op = self.rng.choice([">=", "<=", ">", "<"])
            return f"{shown}{self.rng.choice(['', ':'])}{op}{value}", each(f"{{v}} {op} {value}")
        if form == 2:
            return f"{shown}:[{low} TO {high}]", each(f"{{v}} BETWEEN {low} AND {high}")
        if form == 3:
            return f"{shown}:{{{low} TO {high}]", each(f"({{v}} > {low} AND {{v}} <= {high})")
        if form == 4:
            return f"{shown}:[* to {high}}}", each(f"{{v}} < {high}")
        return f"{shown}{self.rng.choice([':', '=', ':='])}{value}", each(f"{{v}} = {value}")

    def test_boolean(self, _, shown, each):
        value = self.rng.choice(["true", "false"])
        return f"{shown}:{value}", each(f"{{v}} = {value}")

    def test_date(self, field, shown, each):
        low, high = sorted([self.value(field)[:10], self.value(field)[:10]])
        begin, after = f"'{low}T00:00:00Z'::timestamptz", f"'{high}T00:00:00Z'::timestamptz + interval '1 day'"
        form = self.rng.randrange(4)
        if form == 0:
            return f"{shown}:{high}", each(f"({{v}} >= {after} - interval '1 day' AND {{v}} < {after})")
        if form == 1:
            return f"{shown}:[{low} TO {high}]", each(f"({{v}} >= {begin} AND {{v}} < {after})")
        if form == 2:
            return f"{shown}:>{high}", each(f"{{v}} >= {after}")
        return f"{shown}:<{low}", each(f"{{v}} < {begin}")

    def test_keyword(self, field, shown, each):
        value, other = self.value(field), self.value(field)
        form = self.rng.randrange(9)
        if form == 0:
            return f"{shown}={self.quoted(value)}", each(f"{{v}} = {literal(value)}")
        if form == 1:
            return f"{shown}!={self.quoted(value)}", "NOT " + each(f"{{v}} = {literal(value)}")
        if form == 2:
            return (f"{shown}:({self.quoted(value)} OR {self.quoted(other)})",
                    each(f"{folded('{v}')} IN ({literal(value.lower())}, {literal(other.lower())})"))
        if form == 3:
            return (f'{shown}:{{{self.quoted(value)},{self.quoted(other)}}}',
                    each(f"{folded('{v}')} IN ({literal(value.lower())}, {literal(other.lower())})"))
        if form == 4:
            return (f"{shown}:(NOT {self.quoted(value)})", "NOT " + each(f"{folded('{v}')} = {literal(value.lower())}"))
        part = re.search(r"[A-Za-z0-9]{2,}", value)
        if form in (5, 6) and part:
            end = min(part.end(), part.start() + self.rng.randint(2, 5))
            pattern = ("*" if part.start() else "") + value[part.start():end] + "*"
            if end - part.start() > 3 and self.rng.random() < 0.3:
                pattern = pattern[:-3] + "?*"
            return f"{shown}:{pattern}", each(f"{folded('{v}')} LIKE {like(pattern.lower())}")
        swapped = value.swapcase() if self.rng.random() < 0.3 else value
        return f"{shown}:{self.quoted(swapped)}", each(f"{folded('{v}')} = {literal(value.lower())}")

    def test_text(self, field, shown, each):
        value = self.value(field)
        if self.rng.random() < 0.15:
            return f"{shown}={self.quoted(value)}", each(f"{{v}} = {literal(value)}")
        words = re.findall(r"[^\W_]+", value) or ["x"]
        picked = self.rng.sample(words, min(len(words), self.rng.randint(1, 2)))
        text = shown + ":" + (picked[0] if len(picked) == 1 and picked[0].lower() not in KEYWORDS
                              else '"' + " ".join(picked) + '"')
        return text, each(self.has_words(picked))

    @staticmethod
    def has_words(words):
        wanted = ", ".join(literal(w.lower()) for w in words)
        return f"""regexp_split_to_array({folded('{v}')}, '[^[:alnum:]]+' COLLATE "und-x-icu") @> ARRAY[{wanted}]"""

    def test_name(self, field, shown, each):
        value = self.value(field)
        form = self.rng.random()
        if form < 0.3 or value == ".":
            return f"{shown}={self.quoted(value)}", each(f"{{v}} = {literal(value)}")
        labels = value.split(".")
        if form < 0.4 and len(labels) > 2 and re.fullmatch("[a-z0-9_-]{2,}", labels[0]):
            return f"{shown}:{labels[0]}.*", each(f"{{v}} LIKE {like(labels[0] + '.*')}")
        value = ".".join(labels[-self.rng.randint(1, 3):])
        written = value.upper() + "." if form > 0.8 else value
        return f"{shown}:{self.quoted(written)}", each(f"({{v}} = {literal(value)} OR {{v}} LIKE {like('*.' + value)})")

    def test_address(self, field, shown, each):
        value, other = self.value(field), self.value(field)
        form = self.rng.randrange(5)
        if form == 0:
            return f"{shown}:{{{value}, {other}}}", each(f"{{v}} IN ('{value}', '{other}')")
        if form == 1:
            return (f"{shown}:[{value} TO {other}]", each(f"{{v}} BETWEEN '{value}' AND '{other}'"))
        if form == 2:
            return f"{shown}={value}", each(f"{{v}} = '{value}'")
        net = f"{value}/{self.rng.choice([16, 32, 48, 120, 128] if ':' in value else [8, 12, 16, 20, 24, 32])}"
        if field.name == "ip" and not field.nested and shown == "ip":
            shown = self.rng.choice(["ip:", ""])
            return shown + net, each(f"{{v}} <<= network('{net}'::inet)")
        return f"{shown}:{net}", each(f"{{v}} <<= network('{net}'::inet)")

    def leaf(self):
        """A test of documents: (text, SQL over h)."""
        roll = self.rng.random()
        if not self.nested or roll < 0.45:
            field = self.rng.choice(self.own)
            return self.test(field, field.name)
        if roll < 0.8:
            field = self.rng.choice(self.nested)
            text, sql = self.test(field, field.name)
            return text, f"id IN (SELECT id FROM n WHERE {sql})" if not sql.startswith("NOT ") else (
                f"id NOT IN (SELECT id FROM n WHERE {sql[4:]})")
        text, sql = self.tree(self.rng.randint(1, 2), self.nested_leaf)
        return f"{self.set.nested}:({text})", f"id IN (SELECT id FROM n WHERE {sql})"

    def nested_leaf(self):
        """A test of one nested object, by its member's own name."""
        field = self.rng.choice(self.nested)
        return self.test(field, field.member)

    def tree(self, depth, leaf):
        """An expression of the given depth over leaves."""
        if depth == 0 or self.rng.random() < 0.25:
            return leaf()
        form = self.rng.randrange(5)
        a, sql_a = self.tree(depth - 1, leaf)
        if form == 0:
            return f"{self.rng.choice(['NOT ', '-', '!', 'not '])}({a})", f"NOT ({sql_a})"
        b, sql_b = self.tree(depth - 1, leaf)
        if form in (1, 2):
            joint = self.rng.choice([" AND ", " and ", " "])
            return f"({a}){joint}({b})", f"(({sql_a}) AND ({sql_b}))"
        return f"({a}) OR ({b})", f"(({sql_a}) OR ({sql_b}))"
