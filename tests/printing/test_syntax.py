"""Printed Python means what its nodes say, and nothing else can be printed."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidewire.generator.syntax.nodes import (
    INT,
    SIZE,
    And,
    Assign,
    Attribute,
    Binary,
    Branch,
    Call,
    Choice,
    Compare,
    Declare,
    Do,
    Expression,
    For,
    Formatted,
    If,
    Index,
    Items,
    Literal,
    Method,
    Name,
    Not,
    Or,
    Parameter,
    Return,
    While,
    all_of,
    named,
    own,
    simple,
    uses,
    when,
)
from tidewire.generator.syntax.printer import body_text, count_lines, declaration_text, expression_text, method_text

OPERATORS = {"|": ast.BitOr, "&": ast.BitAnd, "<<": ast.LShift, "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "%": ast.Mod}
COMPARISONS = {"==": ast.Eq, "<": ast.Lt, "in": ast.In, "is not": ast.IsNot}
LITERALS = st.one_of(
    st.integers(0), st.booleans(), st.none(), st.text(max_size=3), st.binary(max_size=3), st.floats(0, 9)
).map(Literal)


def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Attribute, inner, st.just("part")),
        st.builds(Index, inner, inner),
        st.builds(Call, inner, st.lists(inner, max_size=2).map(tuple)),
        st.builds(Items, several),
        st.builds(Binary, inner, st.sampled_from(sorted(OPERATORS)), inner),
        st.builds(
            Compare,
            inner,
            st.lists(st.tuples(st.sampled_from(sorted(COMPARISONS)), inner), min_size=1, max_size=2).map(tuple),
        ),
        st.builds(And, several),
        st.builds(Or, several),
        st.builds(Not, inner),
        st.builds(Choice, inner, inner, inner),
    )


def as_ast(node: Expression) -> ast.expr:
    """The same in nodes of the standard module."""
    load = ast.Load()
    match node:
        case Name(id):
            return ast.Name(id, load)
        case Attribute(value, name):
            return ast.Attribute(as_ast(value), name, load)
        case Index(value, index):
            return ast.Subscript(as_ast(value), as_ast(index), load)
        case Call(function, arguments, _):
            return ast.Call(as_ast(function), [as_ast(one) for one in arguments], [])
        case Literal(value):
            return ast.Constant(value)
        case Items(values):
            return ast.Tuple([as_ast(one) for one in values], load)
        case Binary(left, operator, right):
            return ast.BinOp(as_ast(left), OPERATORS[operator](), as_ast(right))
        case Compare(left, rest):
            return ast.Compare(as_ast(left), [COMPARISONS[one]() for one, _ in rest], [as_ast(one) for _, one in rest])
        case And(values):
            return ast.BoolOp(ast.And(), [as_ast(one) for one in values])
        case Or(values):
            return ast.BoolOp(ast.Or(), [as_ast(one) for one in values])
        case Not(value):
            return ast.UnaryOp(ast.Not(), as_ast(value))
        case Choice(value, condition, otherwise):
            return ast.IfExp(as_ast(condition), as_ast(value), as_ast(otherwise))
    raise TypeError(node)


@given(st.recursive(st.one_of(st.just(Name("name")), LITERALS), larger, max_leaves=12))
def test_what_is_printed_is_the_tree_that_was_meant(node: Expression) -> None:
    found = ast.parse(expression_text(node), mode="eval").body
    assert ast.dump(found) == ast.dump(as_ast(node))


@given(st.lists(st.one_of(st.text(max_size=8), st.just(Name("value"))), max_size=4))
def test_a_text_with_values_has_them_where_they_stand(parts: list[str | Expression]) -> None:
    found = eval(expression_text(Formatted(tuple(parts))), {"value": 7})
    assert found == "".join(one if isinstance(one, str) else "7" for one in parts)


@pytest.mark.parametrize("text", ["", "a b", "x; import os", "1st", "a.b", "#"])
def test_nothing_but_a_name_is_a_name(text: str) -> None:
    with pytest.raises(ValueError, match="is no name"):
        Name(text)
    with pytest.raises(ValueError, match="is no name"):
        own(text)


def test_statements_are_printed_in_their_places() -> None:
    loop = For(("k",), Name("range")(3), (*when(own("open"), (Do(Name("see")(Name("k"))),), (Return(),)),), "each")
    body = (
        Declare("start", SIZE),
        Declare("end", SIZE, Literal(-1), "of all"),
        Assign((own("start"), own("end")), Literal(0)),
        While(Name("more")(), (loop,)),
        If((Branch(Name("a"), (Return(Literal(1)),), "first"), Branch(Name("b"), (Return(Literal(2)),)))),
    )
    text = body_text(body, 4)
    assert text == (
        "    start: cython.Py_ssize_t\n"
        "    end: cython.Py_ssize_t = -1  # of all\n"
        "    self.start = self.end = 0\n"
        "    while more():\n"
        "        for k in range(3):  # each\n"
        "            if self.open:\n"
        "                see(k)\n"
        "            else:\n"
        "                return\n"
        "    if a:  # first\n"
        "        return 1\n"
        "    elif b:\n"
        "        return 2\n"
    )
    assert count_lines(body) == text.count("\n")
    assert uses("k", *body)
    assert not uses("start", *body[2:])
    assert len(list(simple(body))) == 7


def test_a_comment_cannot_become_code() -> None:
    text = body_text((Do(Name("see")(), 'the "end"\nimport os'),), 0)
    assert text == 'see()  # the "end" import os\n'


def test_a_method_and_its_declaration_say_the_same() -> None:
    method = Method("read", (Parameter("at", SIZE),), INT, ('Says """so""".',), (Return(Literal(0)),))
    assert method_text(method).startswith("    def read(self, at: cython.Py_ssize_t) -> cython.int:\n")
    docstring = ast.get_docstring(ast.parse(f"class A:\n{method_text(method)}").body[0].body[0])  # type: ignore[attr-defined]
    assert docstring == 'Says """so""".'
    assert declaration_text(method) == "    cdef int read(self, Py_ssize_t at) except -1\n"


def test_conditions_are_joined_without_brackets() -> None:
    a, b, c = Name("a"), Name("b"), Name("c")
    assert all_of(None, None) is None
    assert all_of(a, None) == a
    assert all_of(a, And((b, c))) == And((a, b, c))
    assert when(None, (Do(a),)) == (Do(a),)
    assert named("-5") == Literal(-5)
    assert named("KIND") == Name("KIND")
