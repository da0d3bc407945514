# SPDX-License-Identifier: ISC
"""Find the titles of the tests: in shell scripts, in Python and JavaScript, in the tables of CUnit.

titles_of(name, text) yields a Title for each call of an assertion whose title is literal, also where the call
takes several lines. A shell function that passes one of its arguments on as a title is an assertion too: its
calls are found, and their titles are read as the function prints them. Each expansion becomes the word "X".
"""
import ast
import re
from collections import namedtuple

# text: as printed; source: as written, with its quotes, at text[start:end] of the file.
Title = namedtuple("Title", "line text source start end")

# The argument of each assertion that is the title, from 1 (t/lib.sh, t/helper/tap.sh).
SHELL_SLOTS = {"is": 3, "isnt": 3, "like": 3, "unlike": 3, "ok": 1, "none": 1, "pass": 1, "fail": 1, "result": 2,
               "skip": 0}
PYTHON_SLOTS = {"ok": 2, "is_": 3, "say": 2, "same": 3, "check": 2}
SCRIPT_SLOTS = {"ok": 2, "is": 3, "until": 2, "saw": 2}
PASSED = "\0"  # in a template: the argument that a function passes on
SKIPPED_WORDS = {"!", "{", "if", "then", "elif", "else", "while", "until", "do", "time"}


# ---- shell ----

Word = namedtuple("Word", "source start end")


class Shell:
    """Cut a script into simple commands: lists of words, also those inside functions and conditions."""

    def __init__(self, text):
        self.text = text
        self.at = 0
        self.heredocs = []  # those that begin on the present line: (dash, mark)
        self.documents = []  # those that have ended: (mark, dash, start, end)

    def commands(self):
        words = []
        while self.at < len(self.text):
            c = self.text[self.at]
            if self.text.startswith("\\\n", self.at):
                self.at += 2
            elif c in " \t":
                self.at += 1
            elif c == "#":
                self.skip_to("\n")
            elif c in "\n;&|()":
                self.at += 1
                if words:
                    yield words
                words = []
                if c == "\n":
                    self.skip_heredocs()
            elif self.text.startswith("<<", self.at):
                self.heredoc()
            else:
                words.append(self.word())
        if words:
            yield words

    def skip_to(self, mark):
        end = self.text.find(mark, self.at)
        self.at = len(self.text) if end < 0 else end

    def heredoc(self):
        m = re.compile(r"<<(-?)\s*(['\"]?)(\w+)\2").match(self.text, self.at)
        if m:
            self.heredocs.append((m.group(1), m.group(3)))
            self.at = m.end()
        else:
            self.at += 2

    def skip_heredocs(self):
        for dash, mark in self.heredocs:
            m = re.compile("^" + ("\t*" if dash else "") + re.escape(mark) + "$", re.M).search(self.text, self.at)
            self.documents.append((mark, dash, self.at, m.start() if m else len(self.text)))
            self.at = m.end() if m else len(self.text)
        self.heredocs = []

    def word(self):
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in " \t\n;&|()":
            self.part()
        return Word(self.text[start:self.at], start, self.at)

    def part(self):
        """Pass over one character, quotation or expansion."""
        c = self.text[self.at]
        if c == "\\":
            self.at += 2
        elif c == "'":
            self.at += 1
            self.skip_to("'")
            self.at += 1
        elif c == '"':
            self.at += 1
            while self.at < len(self.text) and self.text[self.at] != '"':
                if self.text[self.at] in "\\$`":
                    self.part()
                else:
                    self.at += 1
            self.at += 1
        elif c == "`":
            self.at += 1
            self.skip_to("`")
            self.at += 1
        elif self.text.startswith("$(", self.at):
            self.at += 1
            self.nested("(", ")")
        elif self.text.startswith("${", self.at):
            self.at += 1
            self.nested("{", "}")
        else:
            self.at += 1

    def nested(self, opening, closing):
        depth = 0
        while self.at < len(self.text):
            c = self.text[self.at]
            if c == opening and (depth == 0 or c == "("):
                depth += 1
                self.at += 1
            elif c == closing:
                depth -= 1
                self.at += 1
                if depth == 0:
                    return
            elif c == "#" and opening == "(" and self.text[self.at - 1] in " \t\n":
                self.skip_to("\n")
            elif opening == "(" and self.text[self.at:self.at + 2] == "<<":
                self.at += 2
            else:
                self.part()


EXPANSION = re.compile(r"\$(?:\w+|[@*#?!-]|\{[^{}]*\}|\((?:[^()]|\([^()]*\))*\))")


def unquoted(source):
    return re.sub(r"\\([\"$`\\])", r"\1", re.sub(r"(?<!\\)[\"']", "", source)) if not source.startswith("'") \
        else source.strip("'")


def shell_functions(text):
    """The functions of a script that pass an argument on as a title: name -> (argument, template), and where these
    titles begin in the text."""
    own, templates = {}, set()
    for m in re.finditer(r"^(\w+)\(\)\s*(?:\{(?P<line>[^\n]*)\}$|\{?(?: #[^\n]*)?\n\{?(?P<body>.*?)^\})", text, re.M | re.S):
        group = "line" if m.group("line") else "body"
        body = m.group(group) or ""
        renamed = dict(re.findall(r"\b(\w+)=\"?\$\{?(\d)", body))
        printed = re.search(r'echo "(?:not )?ok \$\w+ - (.*?)"', body)
        titles = [(None, printed.group(1))] if printed else []
        for words in Shell(body).commands():
            words = command(words)
            slot = SHELL_SLOTS.get(words[0].source) if words else None
            if slot and len(words) > slot:
                titles.append((m.start(group) + words[slot].start, unquoted(words[slot].source)))
        for start, title in titles:
            title = re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda v: "$" + renamed.get(v[1] or v[2], v[1] or v[2]), title)
            arguments = set(re.findall(r"\$\{?(\d)", title))
            if arguments:
                own.setdefault(m.group(1), (int(max(arguments)), title))
                templates.add(start)
    return own, templates


def command(words):
    """A command without the keywords and assignments in front of its name."""
    while words and (words[0].source in SKIPPED_WORDS or re.match(r"\w+=", words[0].source)):
        words = words[1:]
    return words


def shell_titles(text, templates=False):
    own, skipped = shell_functions(text)
    slots = {**{name: (slot, None) for name, slot in SHELL_SLOTS.items()}, **own}
    script = Shell(text)
    for words in script.commands():
        words = command(words)
        slot, template = slots.get(words[0].source, (0, None)) if words else (0, None)
        if not slot or len(words) <= slot:
            continue
        word = words[slot]
        if word.start in skipped and not templates:
            continue  # its calls have the titles
        said = unquoted(word.source)
        if template is not None:
            said = template.replace("$%d" % slot, said)
        said = EXPANSION.sub("X", said)
        if re.search(r"\w", said):
            yield Title(text.count("\n", 0, word.start) + 1, said, word.source, word.start, word.end)
    for mark, dash, start, end in script.documents:
        if mark == "PY":
            head = "if 1:\n" if dash else ""  # so that the tabs that the shell removes are an indentation
            lines, start = text.count("\n", 0, start) - len(head[:1]), start - len(head)
            for t in python_titles(head + text[start + len(head):end]):
                yield t._replace(line=t.line + lines, start=t.start + start, end=t.end + start)


# ---- Python ----

def python_titles(text):
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line.encode()) + 1)
    raw = text.encode()

    tree = ast.parse(text)
    own, templates = python_functions(tree)
    slots = {**{name: (slot, None) for name, slot in PYTHON_SLOTS.items()}, **own}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        slot, template = slots.get(called(node), (99, None))
        if len(node.args) < slot:
            continue
        title = node.args[slot - 1]
        said = python_text(title)
        if said is None or title in templates:
            continue
        if template is not None:
            said = template.replace(PASSED, said)
        if not re.search(r"\w", said):
            continue
        start = len(raw[:starts[title.lineno - 1] + title.col_offset].decode())
        end = len(raw[:starts[title.end_lineno - 1] + title.end_col_offset].decode())
        yield Title(title.lineno, said, text[start:end], start, end)


def called(node):
    return node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", None)


def python_functions(tree):
    """The functions that pass an argument on as a title: name -> (argument, template), and these titles."""
    own, templates = {}, []
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef) or function.name in PYTHON_SLOTS:
            continue
        arguments = [a.arg for a in function.args.args]
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and PYTHON_SLOTS.get(called(node), 99) <= len(node.args):
                title = node.args[PYTHON_SLOTS[called(node)] - 1]
                names = {n.id for n in ast.walk(title) if isinstance(n, ast.Name)} & set(arguments)
                name = "title" if "title" in names else min(names, default=None)
                if name is not None:
                    own.setdefault(function.name, (arguments.index(name) + 1, python_text(title, name)))
                    templates.append(title)
    return own, templates


def python_text(node, passed=None):
    """A string as printed; None: it is no literal. The name passed becomes PASSED, another expression X."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name) and node.id == passed:
        return PASSED
    if isinstance(node, ast.JoinedStr):
        return "".join(python_text(v, passed) or "X" for v in node.values)
    if isinstance(node, ast.FormattedValue):
        return python_text(node.value, passed)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        left = python_text(node.left, passed)
        return left and re.sub(r"%[-\d.]*[a-z]", PASSED if passed else "X", left)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = python_text(node.left, passed), python_text(node.right, passed)
        return None if left is None and right is None else (left or "X") + (right or "X")
    return None


# ---- JavaScript and C ----

def script_titles(text):
    for call in re.finditer(r"\b(?:%s)\(" % "|".join(SCRIPT_SLOTS), text):
        slot = SCRIPT_SLOTS[call.group()[:-1]]
        arguments = script_arguments(text, call.end())
        if len(arguments) < slot:
            continue
        start, end = arguments[slot - 1]
        source = text[start:end]
        if source[:1] in "\"`" and source[:1] == source[-1:]:
            said = re.sub(r"\$\{[^{}]*\}", "X", source[1:-1])
            yield Title(text.count("\n", 0, start) + 1, said, source, start, end)


def script_arguments(text, at):
    """Where the arguments of a call begin and end, from behind its parenthesis."""
    arguments, start, depth = [], at, 0
    while at < len(text):
        c = text[at]
        if c in "\"'`":
            m = re.compile(c + r"(?:\\.|[^\\" + c + r"])*" + c, re.S).match(text, at)
            at = m.end() if m else at + 1
            continue
        if c == "/" and re.search(r"[(,=]\s*$", text[:at][-8:]):
            m = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/").match(text, at)
            at = m.end() if m else at + 1
            continue
        if c in "([{":
            depth += 1
        elif c in ")]}" and depth > 0:
            depth -= 1
        elif c == ")" or c == "," and depth == 0:
            whole = text[start:at]
            left = start + len(whole) - len(whole.lstrip())
            arguments.append((left, left + len(whole.strip())))
            start = at + 1
            if c == ")":
                return arguments
        at += 1
    return arguments


def c_titles(text):
    for table in re.finditer(r"CU_TestInfo \w+\[\] = \{(.*?)CU_TEST_INFO_NULL", text, re.S):
        for m in re.finditer(r'\{\s*((?:"(?:[^"\\]|\\.)*"\s*)+),', table.group(1)):
            start = table.start(1) + m.start(1)
            source = m.group(1).rstrip()
            said = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', source))
            yield Title(text.count("\n", 0, start) + 1, said, source, start, start + len(source))


def titles_of(name, text):
    if name.endswith(".c"):
        return c_titles(text)
    if name.endswith(".mjs"):
        return script_titles(text)
    if name.endswith(".py") or "python" in text.split("\n", 1)[0]:
        return python_titles(text)
    return shell_titles(text)
