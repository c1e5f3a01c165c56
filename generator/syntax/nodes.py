"""The Python code that planners compose: expressions and statements as values.

Unlike text, they can be compared, searched and rewritten before printing, and a text of a spec can only become a
literal or a comment. They are not those of the standard module `ast`, which cannot be compared, have no comments and
print in a style of their own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TypeAlias


class Node:
    """An expression, a statement or a part of one."""


class Expression(Node):
    """An expression with a value. Numbers as operands stand for their literals."""

    def attribute(self, name: str) -> Attribute:
        return Attribute(self, name)

    def __call__(self, *arguments: Operand) -> Call:
        """A call of it."""
        return Call(self, tuple(map(expression, arguments)))

    def call(self, method: str, *arguments: Operand) -> Call:
        """A call of a method."""
        return Call(Attribute(self, method), tuple(map(expression, arguments)))

    def at(self, index: Operand) -> Index:
        return Index(self, expression(index))

    def equals(self, other: Operand) -> Compare:
        return self.compared("==", other)

    def compared(self, operator: str, other: Operand) -> Compare:
        return Compare(self, ((operator, expression(other)),))

    def between(self, low: int, high: int) -> Compare:
        """Whether it is in a range."""
        return Compare(Literal(low), (("<=", self), ("<=", Literal(high))))

    def plus(self, other: Operand) -> Binary:
        return Binary(self, "+", expression(other))

    def minus(self, other: Operand) -> Binary:
        return Binary(self, "-", expression(other))

    def masked(self, other: Operand) -> Binary:
        """The bits that are set in both."""
        return Binary(self, "&", expression(other))


Operand: TypeAlias = "Expression | int"


def expression(value: Operand) -> Expression:
    """The expression; the literal of a number."""
    return value if isinstance(value, Expression) else Literal(value)


@dataclass(frozen=True)
class Name(Expression):
    """A variable, a constant, a function or a type by its name."""

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
    """A number, a text, bytes, a truth value or None."""

    value: str | bytes | int | float | bool | None


@dataclass(frozen=True)
class Items(Expression):
    """A tuple of values."""

    values: tuple[Expression, ...]


@dataclass(frozen=True)
class List(Expression):
    """A list of values."""

    values: tuple[Expression, ...] = ()


@dataclass(frozen=True)
class Table(Expression):
    """A dictionary."""

    items: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True)
class Binary(Expression):
    """Two operands and an arithmetic operator: | & << >> + - * //."""

    left: Expression
    operator: str
    right: Expression


@dataclass(frozen=True)
class Compare(Expression):
    """Comparisons of neighbours: == != < <= > >= in, is, is not, not in."""

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
    """One of two values."""

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
    """A line, or several that belong together."""


Body: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True)
class Do(Statement):
    """A call as a statement."""

    call: Expression
    comment: str = ""


@dataclass(frozen=True)
class Assign(Statement):
    """A value for a variable or an attribute, or for several."""

    targets: tuple[Expression, ...]
    value: Expression
    comment: str = ""


@dataclass(frozen=True)
class Declare(Statement):
    """A variable with its type, and its first value."""

    name: str
    type: Type
    value: Expression | None = None
    comment: str = ""


@dataclass(frozen=True)
class Change(Statement):
    """A value that is added to a variable or joined with its bits."""

    target: Expression
    operator: str
    value: Expression
    comment: str = ""


@dataclass(frozen=True)
class Pass(Statement):
    """The statement `pass`."""


@dataclass(frozen=True)
class Break(Statement):
    """Leaves the loop."""


@dataclass(frozen=True)
class Return(Statement):
    value: Expression | None = None


@dataclass(frozen=True)
class Branch(Node):
    """A body with its condition; without one: else."""

    condition: Expression | None
    body: Body
    comment: str = ""


@dataclass(frozen=True)
class If(Statement):
    """The first branch whose condition holds."""

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
    """A type, as an annotation and as compiled code declares it."""

    annotation: str
    c: str

    @property
    def number(self) -> bool:
        """Whether it is a C number, which has a value to signal failure."""
        return self.annotation.startswith("cython.")


@dataclass(frozen=True)
class Parameter(Node):
    name: str
    type: Type


@dataclass(frozen=True)
class Method(Node):
    """A method of a compiled class, with the declaration for other compiled code."""

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
    """The type of instances of a class; optional: or None."""
    return Type(f"{name} | None" if optional else name, name)


def plain_type(name: str) -> Type:
    """A type of Python, such as int."""
    return Type(name, "object")


def named(text: str) -> Expression:
    """A constant by its name; digits stand for the number itself."""
    return Literal(int(text)) if text.lstrip("-").isdecimal() else Name(text)


SELF = Name("self")
NONE = Literal(None)


def own(name: str) -> Attribute:
    """An attribute of the object that a method is of."""
    return SELF.attribute(name)


def assign(target: Expression | str, value: Operand) -> Assign:
    """A value for an attribute, or for a variable by its name."""
    return Assign((Name(target) if isinstance(target, str) else target,), expression(value))


def all_of(*conditions: Expression | None) -> Expression | None:
    """The conjunction of the conditions; None stands for one that always holds."""
    found = tuple(one for given in conditions if given is not None for one in _joined(given, And))
    return (found[0] if len(found) == 1 else And(found)) if found else None


def any_of(conditions: tuple[Expression, ...]) -> Expression:
    """The disjunction of the conditions."""
    found = tuple(one for given in conditions for one in _joined(given, Or))
    return Literal(False) if not found else found[0] if len(found) == 1 else Or(found)


def _joined(condition: Expression, kind: type[And] | type[Or]) -> tuple[Expression, ...]:
    return condition.values if isinstance(condition, kind) else (condition,)


def when(condition: Expression | None, body: Body, otherwise: Body = ()) -> Body:
    """The statements under a condition, or others; without a condition only the statements."""
    if condition is None:
        return body
    return (If((Branch(condition, body), *([Branch(None, otherwise)] if otherwise else []))),)


def chain(branches: list[Branch], otherwise: Body = ()) -> Body:
    """The first branch whose condition holds, otherwise the other statements."""
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
    """The statements that contain no others, including those inside conditions and loops."""
    for one in body:
        if isinstance(one, If):
            for branch in one.branches:
                yield from simple(branch.body)
        elif isinstance(one, For | While | With):
            yield from simple(one.body)
        else:
            yield one
