"""Options of all types: as values, as strings, and together."""

from __future__ import annotations

import inspect
import pickle
from dataclasses import dataclass

import pytest

import tidewire
from tidewire.messages.options import INVALID_TEXT, CodecOptions, OptionSpec, check_options, option, parse_options
from tidewire.runtime.errors import OptionError

SPECS = (
    OptionSpec("extended", "bool", False, "More."),
    OptionSpec("shorter", "bool", False, "Less."),
    OptionSpec("as-theirs", "bool", False, "As theirs.", implies=("shorter",)),
    OptionSpec("row-key", "bool", False, "A key.", needs=("extended",), producers=("new",)),
    OptionSpec("place", "text", "", "Where."),
    OptionSpec("end", "text", "", "What follows.", escapes=True),
    OptionSpec(
        "large",
        "choice",
        "none",
        "What of large ones.",
        choices=("none", "cut", "stored"),
        choice_needs={"cut": ("extended",), "stored": ("extended", "place")},
    ),
    OptionSpec("producer", "choice", "old", "Whose.", choices=("old", "new")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    extended: bool = False
    shorter: bool = False
    as_theirs: bool = False
    row_key: bool = False
    place: str = ""
    end: str = ""
    large: str = "none"
    producer: str = "old"

    def __post_init__(self) -> None:
        check_options("p", SPECS, self)


def made(**strings: str) -> Options:
    return Options(**parse_options("p", SPECS, {name.replace("_", "-"): text for name, text in strings.items()}))  # type: ignore[arg-type]


def test_an_option_can_imply_another() -> None:
    assert not made().shorter
    assert made(as_theirs="true").shorter
    assert made(as_theirs="true", shorter="false").shorter, "as TiCDC does it"


@pytest.mark.parametrize(
    ("strings", "sentence"),
    [
        ({"large": "cut"}, "p: option large=cut needs extended: set extended=true too"),
        ({"large": "stored", "extended": "true"}, "p: option large=stored needs place: set place too"),
        ({"row_key": "true", "producer": "new"}, "p: option row-key needs extended: set extended=true too"),
        (
            {"row_key": "true", "extended": "true"},
            "p: option row-key is one of new; old has no such option: set producer=new or leave it out",
        ),
        ({"large": "some"}, "p: option large is one of none, cut, stored, not 'some'"),
    ],
)
def test_options_that_do_not_go_together(strings: dict[str, str], sentence: str) -> None:
    with pytest.raises(OptionError) as caught:
        made(**strings)
    assert str(caught.value) == sentence


def test_options_that_go_together() -> None:
    given = made(large="stored", extended="true", place="s3://bucket/dir", row_key="true", producer="new")
    assert (given.large, given.place, given.row_key) == ("stored", "s3://bucket/dir", True)
    assert made(large="CUT", extended="True").large == "cut"


def test_a_switch_that_is_on_by_default_has_what_needs_it() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Marked:
        marks: bool = True
        keys: bool = False
        producer: str = "old"

        def __post_init__(self) -> None:
            specs = (OptionSpec("marks", "bool", True, "M."), OptionSpec("keys", "bool", False, "K.", needs=("marks",)))
            check_options("p", specs, self)

    assert Marked(keys=True).keys
    assert not Marked(marks=False).keys
    with pytest.raises(OptionError, match="option keys needs marks: set marks=true too"):
        Marked(marks=False, keys=True)


def test_a_text_is_text() -> None:
    with pytest.raises(OptionError, match="option place is text, not 5"):
        Options(place=5)  # type: ignore[arg-type]
    assert made(place=" C:\\new ").place == " C:\\new "


@pytest.mark.parametrize(("text", "end"), [("\\r\\n", "\r\n"), ("\r\n", "\r\n"), ("\\\\n", "\\n"), ("\\x", "\\x")])
def test_control_characters_can_be_written_out(text: str, end: str) -> None:
    assert made(end=text).end == end


@dataclass(frozen=True, slots=True, kw_only=True)
class Described(CodecOptions):
    """Options."""

    PROTOCOL = "some"

    as_theirs: bool = option(False, "As theirs.", implies=("shorter",))
    shorter: bool = option(False, "Less.")
    most: int = option(3, "Most rows.", range=(1, 9))
    producer: str = option("old", "Whose.", choices=("old", "new"))
    invalid_text: str = INVALID_TEXT.field()


def test_what_an_option_is_stands_once() -> None:
    """Beside its default, from where the specification, the checks and the docstring have it."""
    assert [(spec.name, spec.type, spec.default) for spec in Described.SPECS] == [
        ("as-theirs", "bool", False),
        ("shorter", "bool", False),
        ("most", "int", 3),
        ("producer", "choice", "old"),
        ("invalid-text", "choice", "error"),
    ]
    assert Described.__doc__ is not None
    assert "Attributes:\n    as_theirs: As theirs.\n    shorter: Less.\n    most: Most rows.\n" in Described.__doc__
    assert Described().value("most") == 3
    assert pickle.loads(pickle.dumps(Described(most=4))) == Described(most=4)
    with pytest.raises(OptionError, match="most"):
        Described(most=10)


@pytest.mark.parametrize("name", list(tidewire.protocols()))
def test_decoders_and_encoders_say_what_options_they_take(name: str) -> None:
    """In their signatures, as editors and `help` show them."""
    module = tidewire.protocols()[name].load()
    for made in (module.Decoder, module.Encoder):
        parameter = inspect.signature(made).parameters["options"]
        assert (parameter.annotation, parameter.default) == ("Options | None", None)
        assert made().options == module.Options()


def test_values_are_taken_as_others_spell_them() -> None:
    """As the settings of Debezium's connector are written, in strings, in Python and by detection."""
    module = tidewire.protocols()["debezium"].load()
    said = {
        "time_precision_mode": ("adaptive_time_microseconds", "adaptive-time-microseconds"),
        "binary_handling_mode": ("bytes", "base64"),
    }
    others = {"Binary-Handling-Mode": (" BASE64_URL_SAFE ", "base64-url-safe")}
    for name, (given, meant) in {**said, **others}.items():
        assert getattr(module.Options.from_strings({name: given}), name.lower().replace("-", "_")) == meant
    assert module.Options(**{name: given for name, (given, _) in said.items()}) == module.Options()
    assert module.Options.from_strings({}) == module.Options()
    for wrong in ("adaptive", "adaptive_time", "bytes"):
        with pytest.raises(OptionError, match="is one of adaptive-time-microseconds, connect"):
            module.Options.from_strings({"time-precision-mode": wrong})
