#!/usr/bin/env python3
"""Writes every example of a doc comment, of an article, and of the README, as a function into Swift files, one for
each page or source file.

usage: extract.py FOLDER, from the root of the package. `#sourceLocation` makes the compiler name the comment's line.

What is indented by four, or fenced without a language, is Swift. What is no Swift says so: its fence names another
language, such as `text`. Both are counted. An article that imports other packages quotes `Tests/Ecosystem`, where they
are at hand: each of its examples must stand there as it is.
"""
import pathlib
import re
import sys

place = pathlib.Path(__file__).parent
folder = pathlib.Path(sys.argv[1])
# These stand in a file, not in a function.
DECLARATIONS = re.compile(r"^(extension|@attached|@c\b)", re.M)


def comment(line):
    """The text of a line of a doc comment; nothing for other lines."""
    match = re.match(r"\s*///(?: (.*)|$)", line)
    return (match.group(1) or "") if match else None


def blocks(path):
    """The blocks of code of a file: the line of each, its language and its lines."""
    is_markdown = path.suffix == ".md"
    fence, start, lines, after_blank = None, 0, [], True
    for number, line in enumerate(path.read_text().split("\n") + ["end"], 1):
        text = line if is_markdown else comment(line)
        mark = re.match(r"\s*```(.*)", text or "")
        if fence is not None:
            if text is None:
                sys.exit(f"{path}:{start}: a fence that does not end")
            if mark:
                yield start, fence, lines
                fence, lines = None, []
            else:
                lines.append(text)
        elif text is not None and text.startswith("    ") and not mark and (lines or after_blank):
            start = start if lines else number
            lines.append(text[4:])
        elif text == "" and lines:
            lines.append("")
        else:
            if lines:
                yield start, "swift", lines
                lines = []
            if mark:
                fence, start = mark.group(1).strip() or "swift", number + 1
        after_blank = not text
    if fence is not None:
        sys.exit(f"{path}:{start}: a fence that does not end")


# A module that only some platforms have.
CONDITIONAL_IMPORT = re.compile(r"#if canImport\((\w+)\)\n +import \1\n#endif")


def function(name, path, start, lines):
    """An example where it can be compiled."""
    body = "\n".join("" if line.startswith("import ") else line for line in lines)
    body = CONDITIONAL_IMPORT.sub("\n\n", body)
    is_declaration = DECLARATIONS.search(body)
    head, tail = ("", "") if is_declaration else (f"func {name}() async throws {{", "}")
    return f'{head}\n#sourceLocation(file: "{path}", line: {start})\n{body}\n#sourceLocation()\n{tail}\n'


def imports_others(blocks):
    """Whether an example imports a module of another package."""
    names = re.findall(r"^import (\w+)", "\n".join("\n".join(lines) for _, _, lines in blocks), re.M)
    return any(not re.fullmatch(r"Weir\w*|Foundation|Testing|Synchronization", name) for name in names)


quotable = "".join(path.read_text() for path in sorted(pathlib.Path("Tests/Ecosystem/Sources").rglob("*.swift")))
count = texts = quotes = 0
tops = ("Core", "Operators", "Transports", "Plugins")
modules = [
    (path.name, sorted(path.rglob("*.swift")) + sorted(path.rglob("*.docc/*.md")))
    for top in tops
    for path in sorted(pathlib.Path(top).iterdir())
]
for module, paths in modules + [("README", [pathlib.Path("README.md")])]:
    sources = folder / module
    for path in paths:
        functions = []
        # The modules of operators are shown as their users have them, all at once. What else an example needs, its page
        # shows; the README shows all.
        imports = set() if module == "README" else {module, "Weir"}
        conditional = set()
        examples = list(blocks(path))
        if path.suffix == ".md" and imports_others(examples):
            for start, _, lines in examples:
                quotes += 1
                if "\n".join(lines).strip() not in quotable:
                    sys.exit(f"{path}:{start}: does not stand in Tests/Ecosystem as it is")
            continue
        for start, language, lines in examples:
            if language != "swift":
                texts += 1
                continue
            count += 1
            imports |= set(re.findall(r"^import (\w+)", "\n".join(lines), re.M))
            conditional |= {match.group(0) for match in CONDITIONAL_IMPORT.finditer("\n".join(lines))}
            functions.append(function(f"example{count}", path, start, lines))
        if functions:
            sources.mkdir(exist_ok=True)
            heads = [f"import {name}" for name in sorted(imports)] + sorted(conditional)
            text = "\n".join(heads + functions)
            (sources / f"Examples{count}.swift").write_text(text)
print(f"{count} examples are compiled, {quotes} quoted; {texts} blocks are text in another language")
