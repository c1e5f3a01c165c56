"""Python code as data, from which planners compose printed code: expressions and statements.

Unlike text, nodes can be compared, searched and rewritten before printing, and a text of a spec can only become a
literal or a comment. The nodes of the standard module `ast` are not used, since they cannot be compared, have no
comments, and print in their own style.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TypeAlias


class Node:
    """An expression, a statement or a part of one."""


class Expression(Node):
    """An expression. Operands that are numbers are converted to literals."""

    def attribute(self, name: str) -> Attribute:
        return Attribute(self, name)

    def __call__(self, *arguments: Operand) -> Call:
        """A call of the expression."""
        return Call(self, tuple(map(expression, arguments)))

    def call(self, method: str, *arguments: Operand) -> Call:
        """A call of a method of the expression."""
        return Call(Attribute(self, method), tuple(map(expression, arguments)))

    def at(self, index: Operand) -> Index:
        return Index(self, expression(index))

    def equals(self, other: Operand) -> Compare:
        return self.compared("==", other)

    def compared(self, operator: str, other: Operand) -> Compare:
        return Compare(self, ((operator, expression(other)),))

    def between(self, low: int, high: int) -> Compare:
        """The comparison whether the value is in a range."""
        return Compare(Literal(low), (("<=", self), ("<=", Literal(high))))

    def plus(self, other: Operand) -> Binary:
        return Binary(self, "+", expression(other))

    def minus(self, other: Operand) -> Binary:
        return Binary(self, "-", expression(other))

    def masked(self, other: Operand) -> Binary:
        """Bitwise and."""
        return Binary(self, "&", expression(other))


Operand: TypeAlias = "Expression | int"


def expression(value: Operand) -> Expression:
    """An operand as an expression; numbers become literals."""
    return value if isinstance(value, Expression) else Literal(value)


@dataclass(frozen=True)
class Name(Expression):
    """The name of a variable, constant, function or type."""

    id: str

    def __post_init__(self) -> None:
        if not self.id.isidentifier():
            raise ValueError(f"{self.id!r} is no name")


@dataclass(frozen=True)
class Attribute(Expression):
    value: Expression
    name: str

    def __post_init__(self) -> None:
        if not self.name.isidentifier():
            raise ValueError(f"{self.name!r} is no name of an attribute")


@dataclass(frozen=True)
class Index(Expression):
    value: Expression
    index: Expression


@dataclass(frozen=True)
class Call(Expression):
    function: Expression
    arguments: tuple[Expression, ...] = ()
    keywords: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True)
class Literal(Expression):
    """A literal: number, text, bytes, boolean or None."""

    value: str | bytes | int | float | bool | None


@dataclass(frozen=True)
class Items(Expression):
    """A tuple."""

    values: tuple[Expression, ...]


@dataclass(frozen=True)
class List(Expression):
    """A list."""

    values: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Table(Expression):
    """A dictionary."""

    items: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True)
class Binary(Expression):
    """A binary operator with its operands: | & << >> + - * //."""

    left: Expression
    operator: str
    right: Expression


@dataclass(frozen=True)
class Compare(Expression):
    """A chain of comparisons: == != < <= > >= in, is, is not, not in."""

    left: Expression
    rest: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True)
class And(Expression):
    values: tuple[Expression, ...]


@dataclass(frozen=True)
class Or(Expression):
    values: tuple[Expression, ...]


@dataclass(frozen=True)
class Not(Expression):
    value: Expression


@dataclass(frozen=True)
class Choice(Expression):
    """A conditional expression."""

    value: Expression
    condition: Expression
    otherwise: Expression


@dataclass(frozen=True)
class Gathered(Expression):
    """A list comprehension."""

    value: Expression
    targets: tuple[str, ...]
    source: Expression
    condition: Expression | None = None


@dataclass(frozen=True)
class Formatted(Expression):
    """An f-string."""

    parts: tuple[str | Expression, ...]


class Statement(Node):
    """A statement, in one or several lines."""


Body: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True)
class Do(Statement):
    """A call as a statement."""

    call: Expression
    comment: str = ""


@dataclass(frozen=True)
class Assign(Statement):
    """An assignment to a variable or attribute, or to several."""

    targets: tuple[Expression, ...]
    value: Expression
    comment: str = ""


@dataclass(frozen=True)
class Declare(Statement):
    """A variable declaration with type and initial value."""

    name: str
    type: Type
    value: Expression | None = None
    comment: str = ""


@dataclass(frozen=True)
class Change(Statement):
    """An augmented assignment."""

    target: Expression
    operator: str
    value: Expression
    comment: str = ""


@dataclass(frozen=True)
class Pass(Statement):
    """The statement `pass`."""


@dataclass(frozen=True)
class Break(Statement):
    """The statement `break`."""


@dataclass(frozen=True)
class Return(Statement):
    value: Expression | None = None


@dataclass(frozen=True)
class Branch(Node):
    """A body with its condition; the condition of an else branch is None."""

    condition: Expression | None
    body: Body
    comment: str = ""


@dataclass(frozen=True)
class If(Statement):
    """An if statement with its branches."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class For(Statement):
    targets: tuple[str, ...]
    source: Expression
    body: Body
    comment: str = ""


@dataclass(frozen=True)
class While(Statement):
    condition: Expression
    body: Body


@dataclass(frozen=True)
class With(Statement):
    value: Expression
    body: Body


@dataclass(frozen=True)
class Type(Node):
    """A type, as an annotation and as a C declaration."""

    annotation: str
    c: str

    @property
    def number(self) -> bool:
        """Whether it is a C number type, so that a function can signal failure by a value."""
        return self.annotation.startswith("cython.")


@dataclass(frozen=True)
class Parameter(Node):
    name: str
    type: Type


@dataclass(frozen=True)
class Method(Node):
    """A method of a compiled class, with its declaration for other compiled code."""

    name: str
    parameters: tuple[Parameter, ...]
    returns: Type
    about: tuple[str, ...]
    """The paragraphs of its docstring."""
    body: Body
    raises: bool = True
    """Whether it can raise; -1 then signals an exception."""
    overrides: bool = False
    """Whether the runtime's base class already declares it."""


SIZE = Type("cython.Py_ssize_t", "Py_ssize_t")
INT = Type("cython.int", "int")
BINT = Type("cython.bint", "bint")
SIGNED = Type("cython.longlong", "long long")
UNSIGNED = Type("cython.ulonglong", "unsigned long long")


def object_type(name: str, optional: bool = False) -> Type:
    """The type of instances of a class; with `optional`, or None."""
    return Type(f"{name} | None" if optional else name, name)


def plain_type(name: str) -> Type:
    """A Python type, such as int."""
    return Type(name, "object")


def named(text: str) -> Expression:
    """A constant by name; a text of digits is the number itself."""
    return Literal(int(text)) if text.lstrip("-").isdecimal() else Name(text)


SELF = Name("self")
NONE = Literal(None)


def own(name: str) -> Attribute:
    """An attribute of self."""
    return SELF.attribute(name)


def assign(target: Expression | str, value: Operand) -> Assign:
    """An assignment to an attribute, or to a variable given by name."""
    return Assign((Name(target) if isinstance(target, str) else target,), expression(value))


def all_of(*conditions: Expression | None) -> Expression | None:
    """The conjunction of the conditions, in which None counts as true; None if all are None."""
    found = tuple(one for given in conditions if given is not None for one in _joined(given, And))
    return (found[0] if len(found) == 1 else And(found)) if found else None


def any_of(conditions: tuple[Expression, ...]) -> Expression:
    """The disjunction of the conditions."""
    found = tuple(one for given in conditions for one in _joined(given, Or))
    return Literal(False) if not found else found[0] if len(found) == 1 else Or(found)


def _joined(condition: Expression, kind: type[And] | type[Or]) -> tuple[Expression, ...]:
    return condition.values if isinstance(condition, kind) else (condition,)


def when(condition: Expression | None, body: Body, otherwise: Body = ()) -> Body:
    """An if statement with an optional else; without a condition, only the statements."""
    if condition is None:
        return body
    return (If((Branch(condition, body), *([Branch(None, otherwise)] if otherwise else []))),)


def chain(branches: list[Branch], otherwise: Body = ()) -> Body:
    """An if statement with several branches and an else."""
    if not branches:
        return otherwise
    return (If((*branches, *([Branch(None, otherwise)] if otherwise else []))),)


def walk(*nodes: Node) -> Iterator[Node]:
    """The nodes and all nodes inside them."""
    for node in nodes:
        yield node
        for field in fields(node):  # type: ignore[arg-type]
            yield from _inside(getattr(node, field.name))


def _inside(value: object) -> Iterator[Node]:
    if isinstance(value, Node):
        yield from walk(value)
    elif isinstance(value, tuple):
        for one in value:
            yield from _inside(one)


def uses(name: str, *nodes: Node) -> bool:
    """Whether a variable is used or set."""
    return Name(name) in walk(*nodes)


def simple(body: Body) -> Iterator[Statement]:
    """All statements that contain no other statements, at any depth."""
    for one in body:
        if isinstance(one, If):
            for branch in one.branches:
                yield from simple(branch.body)
        elif isinstance(one, For | While | With):
            yield from simple(one.body)
        else:
            yield one
