"""Prints nodes as text. Long lines are folded later by `generator.folding`."""

from __future__ import annotations

from collections.abc import Iterator

from ..texts import Code, comment, literal, prose
from .nodes import (
    And,
    Assign,
    Attribute,
    Binary,
    Body,
    Break,
    Call,
    Change,
    Choice,
    Compare,
    Declare,
    Do,
    Expression,
    For,
    Formatted,
    Gathered,
    If,
    Index,
    Items,
    List,
    Literal,
    Method,
    Name,
    Not,
    Or,
    Pass,
    Return,
    Statement,
    Table,
    While,
    With,
)

# Operator precedences; an operand of lower precedence than its operator is put in parentheses.
ANY, CHOICE, OR, AND, NOT, COMPARE, UNARY, PRIMARY = 0, 1, 2, 3, 4, 5, 20, 30
ARITHMETIC = {"|": 6, "&": 8, "<<": 9, ">>": 9, "+": 10, "-": 10, "*": 11, "//": 11, "%": 11}


def expression_text(node: Expression) -> Code:
    """The text of an expression."""
    return Code(_text(node, ANY))


def _text(node: Expression, least: int) -> str:
    """The text, in parentheses if its precedence is below `least`."""
    binds, text = _bound(node)
    return f"({text})" if binds < least else text


def _bound(node: Expression) -> tuple[int, str]:
    """The precedence of an expression, and its text."""
    match node:
        case Name(id):
            return PRIMARY, id
        case Attribute(value, name):
            return PRIMARY, f"{_text(value, PRIMARY)}.{name}"
        case Index(value, index):
            return PRIMARY, f"{_text(value, PRIMARY)}[{_text(index, ANY)}]"
        case Call(function, arguments, keywords):
            given = [_text(one, ANY) for one in arguments]
            given += [f"{name}={_text(one, ANY)}" for name, one in keywords]
            return PRIMARY, f"{_text(function, PRIMARY)}({', '.join(given)})"
        case Literal(value):
            negative = isinstance(value, int | float) and value < 0
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return (UNARY if negative or number else PRIMARY), literal(value)
        case Items(values):
            return PRIMARY, f"({', '.join(_text(one, ANY) for one in values)}{',' if len(values) == 1 else ''})"
        case List(values):
            return PRIMARY, f"[{', '.join(_text(one, ANY) for one in values)}]"
        case Table(items):
            return PRIMARY, "{" + ", ".join(f"{_text(key, ANY)}: {_text(one, ANY)}" for key, one in items) + "}"
        case Binary(left, operator, right):
            binds = ARITHMETIC[operator]
            return binds, f"{_text(left, binds)} {operator} {_text(right, binds + 1)}"
        case Compare(left, rest):
            others = "".join(f" {operator} {_text(one, COMPARE + 1)}" for operator, one in rest)
            return COMPARE, f"{_text(left, COMPARE + 1)}{others}"
        case And(values):
            return AND, " and ".join(_text(one, AND + 1) for one in values)
        case Or(values):
            # parentheses around `and` are redundant, but easier to read
            return OR, " or ".join(_text(one, AND + 1) for one in values)
        case Not(value):
            return NOT, f"not {_text(value, NOT)}"
        case Choice(value, condition, otherwise):
            return CHOICE, f"{_text(value, OR)} if {_text(condition, OR)} else {_text(otherwise, CHOICE)}"
        case Gathered(value, targets, source, condition):
            test = "" if condition is None else f" if {_text(condition, OR)}"
            return PRIMARY, f"[{_text(value, ANY)} for {', '.join(targets)} in {_text(source, OR)}{test}]"
        case Formatted(parts):
            return PRIMARY, _formatted(parts)
        case _:
            raise TypeError(f"{node!r} is no expression that can be printed")


def _formatted(parts: tuple[str | Expression, ...]) -> str:
    # values are names and calls without quotes, since Python before 3.12 does not allow the same quotes inside an
    # f-string
    found: list[str] = []
    for part in parts:
        if isinstance(part, str):
            found.append(literal(f'{part}"')[1:-2].replace("{", "{{").replace("}", "}}"))
        else:
            found.append(f"{{{_text(part, ANY)}}}")
    return f'f"{"".join(found)}"'


def body_text(body: Body, indent: int) -> Code:
    """The lines of statements, indented and with line ends."""
    return Code("".join(f"{line}\n" for line in _lines(body, " " * indent)))


def count_lines(body: Body) -> int:
    """The number of lines before folding."""
    return sum(1 for _ in _lines(body, ""))


def _lines(body: Body, space: str) -> Iterator[str]:
    for statement in body:
        yield from _statement(statement, space)


def _statement(node: Statement, space: str) -> Iterator[str]:
    inner = f"{space}    "
    match node:
        case Do(call, said):
            yield f"{space}{_text(call, ANY)}{_comment(said)}"
        case Assign(targets, value, said):
            yield f"{space}{''.join(f'{_bare(one)} = ' for one in targets)}{_bare(value)}{_comment(said)}"
        case Declare(name, type, value, said):
            given = "" if value is None else f" = {_text(value, ANY)}"
            yield f"{space}{name}: {type.annotation}{given}{_comment(said)}"
        case Change(target, operator, value, said):
            yield f"{space}{_text(target, ANY)} {operator}= {_text(value, ANY)}{_comment(said)}"
        case Pass():
            yield f"{space}pass"
        case Break():
            yield f"{space}break"
        case Return(value):
            yield f"{space}return" if value is None else f"{space}return {_text(value, ANY)}"
        case If(branches):
            for at, one in enumerate(branches):
                word = "if" if at == 0 else "elif"
                test = "else" if one.condition is None else f"{word} {_text(one.condition, ANY)}"
                yield f"{space}{test}:{_comment(one.comment)}"
                yield from _lines(one.body, inner)
        case For(targets, source, body, said):
            yield f"{space}for {', '.join(targets)} in {_text(source, ANY)}:{_comment(said)}"
            yield from _lines(body, inner)
        case While(condition, body):
            yield f"{space}while {_text(condition, ANY)}:"
            yield from _lines(body, inner)
        case With(value, body):
            yield f"{space}with {_text(value, ANY)}:"
            yield from _lines(body, inner)
        case _:
            raise TypeError(f"{node!r} is no statement that can be printed")


def _bare(node: Expression) -> str:
    """The text without parentheses, for several values beside `=`."""
    if isinstance(node, Items) and len(node.values) > 1:
        return ", ".join(_text(one, ANY) for one in node.values)
    return _text(node, ANY)


def _comment(text: str) -> str:
    return f"  # {comment(text)}" if text else ""


def method_text(node: Method) -> Code:
    """A method of a class, with its docstring."""
    given = ["self", *(f"{one.name}: {one.type.annotation}" for one in node.parameters)]
    found = [f"    def {node.name}({', '.join(given)}) -> {node.returns.annotation}:\n"]
    if len(node.about) == 1:
        found.append(f'        """{prose(node.about[0], 8)}"""\n')
    else:
        paragraphs = "\n\n        ".join(prose(one, 8) for one in node.about)
        found.append(f'        """{paragraphs}\n        """\n')
    return Code("".join([*found, body_text(node.body, 8)]))


def declaration_text(node: Method) -> Code:
    """The declaration for compiled code; empty if a base class in the runtime declares it, since it cannot be repeated.
    """
    if node.overrides:
        return Code("")
    given = ["self", *(f"{one.type.c} {one.name}" for one in node.parameters)]
    fails = ("except -1" if node.raises else "noexcept") if node.returns.number else ""
    return Code(f"    cdef {node.returns.c} {node.name}({', '.join(given)}) {fails}".rstrip() + "\n")
