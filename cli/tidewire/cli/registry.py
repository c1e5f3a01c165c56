"""`tidewire registry`: shows, registers and compares schemas in a schema registry or a file with saved schemas."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_type_hints

import typer

from tidewire.cli.shell import FOUND_BAD, UNSEEN, CommandError, complain, json_text, many, printable, say_waiting
from tidewire.messages.registry import (
    RegisteredSchema,
    RegistryClient,
    RegistrySettings,
    SavedSchemas,
    SchemaRegistryError,
    SchemaResolver,
    save_schemas,
    snapshot,
)
from tidewire.reading.files.arrivals import named
from tidewire.reading.files.streams import check_no_address
from tidewire.runtime.errors import OptionError
from tidewire.runtime.shortened import public

MOST_BYTES = 1 << 23
"""Maximum size of a schema file."""

registry = typer.Typer(name="registry", add_completion=False, no_args_is_help=True, rich_markup_mode="markdown")
Subject: TypeAlias = Annotated[str, typer.Argument(help="Its name, such as orders-value.")]
SchemaFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="A file with the schema, as JSON; - is standard input.")
]
Version: TypeAlias = Annotated[str, typer.Option(help="Of the subject: from 1, or latest.")]


def _settings(
    *,
    where: Annotated[
        list[str],
        typer.Option(
            "--registry",
            metavar="WHERE",
            help="URL of the registry, or a file with saved schemas. Of several URLs the next is asked when one is "
            "down.",
        ),
    ],
    user: Annotated[str, typer.Option(help="For basic authentication.")] = "",
    password: Annotated[
        str, typer.Option(envvar="TIDEWIRE_REGISTRY_PASSWORD", show_envvar=True, help="Other users see arguments.")
    ] = "",
    token: Annotated[
        str, typer.Option(envvar="TIDEWIRE_REGISTRY_TOKEN", show_envvar=True, help="For bearer authentication.")
    ] = "",
    ca_file: Annotated[str, typer.Option(help="Certificates, PEM, that the registry's is verified with.")] = "",
    certificate: Annotated[str, typer.Option(help="The client's certificate, PEM.")] = "",
    key: Annotated[str, typer.Option(help="The client's private key, PEM.")] = "",
    deadline: Annotated[float, typer.Option(help="Seconds for a request with its retries.")] = 30.0,
) -> RegistrySettings:
    if len(where) > 1 and not all("://" in one for one in where):
        raise CommandError("--registry: several have to be URLs of one registry; give one file alone")
    return RegistrySettings.of(
        ",".join(where),
        user=user,
        password=password,
        token=token,
        ca_file=ca_file,
        certificate=certificate,
        key=key,
        deadline=deadline,
    )


def _asks(run: Callable[..., None]) -> Callable[..., None]:
    """Adds the options of `_settings` to a command, which is called with the resulting settings."""

    @wraps(run)
    def command(**given: Any) -> None:
        shared = {name: given.pop(name) for name in inspect.signature(_settings).parameters}
        try:
            run(_settings(**shared), **given)
        except (OptionError, SchemaRegistryError) as error:
            raise CommandError(str(error)) from None

    hints = get_type_hints(_settings, include_extras=True) | get_type_hints(run, include_extras=True)
    own, shared = (list(inspect.signature(one).parameters.values()) for one in (run, _settings))
    parameters = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in own[1:] + shared]
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [one.replace(annotation=hints[one.name]) for one in parameters]
    )
    command.__annotations__ = {one.name: hints[one.name] for one in parameters}
    return command


@registry.callback()
def about() -> None:
    """Show, register and compare Avro schemas of a registry, or save them, so that messages can be read without it.

    A registry is one with Confluent's REST API, or, but for snapshot and check, a file with saved schemas. Password and
    token can be in the environment, as TIDEWIRE_REGISTRY_PASSWORD and TIDEWIRE_REGISTRY_TOKEN.
    """


@registry.command(name="snapshot")
@_asks
def save(
    settings: RegistrySettings,
    file: Annotated[str, typer.Argument(help="Where they are saved, as JSON. A file that is there is replaced.")],
    subject: Annotated[list[str] | None, typer.Option(help="Save this one only; can be given again.")] = None,
) -> None:
    """Save the schemas of a registry, so that messages can be read without it.

    `registry snapshot FILE --registry http://registry:8081` asks for all versions of its subjects.
    """
    schemas = snapshot(_client(settings, "snapshot"), subject or None)
    try:
        save_schemas(file, schemas)
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}") from None
    subjects = len({schema.subject for schema in schemas})
    complain(f"{many(len(schemas), 'schema')} of {many(subjects, 'subject')} are in {file}")


@registry.command()
@_asks
def register(settings: RegistrySettings, subject: Subject, file: SchemaFile) -> None:
    """Register an Avro schema under a subject, and print its id.

    A schema that is there already keeps its id. A file with saved schemas gives the next id, and is made if need be.
    """
    typer.echo(SchemaResolver(settings).id_of(subject, _schema_of(file)))


@registry.command()
@_asks
def check(settings: RegistrySettings, subject: Subject, file: SchemaFile, version: Version = "latest") -> None:
    """Ask whether an Avro schema is compatible with a subject's. Nothing is registered.

    The exit code is 1 where it is not. What is compatible, the registry's configuration says.
    """
    client = _client(settings, "check")
    found = client.compatibility(subject, _schema_of(file), _number(version))
    if found.compatible:
        typer.echo(printable(f"compatible with {subject}, version {version}"))
        return
    typer.echo(printable(f"not compatible with {subject}, version {version}"))
    for reason in found.reasons:
        typer.echo(printable(f"- {reason}"))
    if not found.reasons:
        complain("the registry gives no reasons; its log may have them")
    raise typer.Exit(FOUND_BAD)


@registry.command()
@_asks
def show(
    settings: RegistrySettings,
    subject: Annotated[str | None, typer.Argument(help="Its name, such as orders-value.")] = None,
    version: Version = "latest",
    id: Annotated[str, typer.Option("--id", metavar="ID", help="The schema's, instead of the subject.")] = "",
) -> None:
    """Print a schema: a version of a subject, or the one with an id.

    Its subject, version and id are printed to standard error.
    """
    if (subject is None) == (not id):
        raise CommandError("registry show: give a subject, or --id with the id of a schema")
    if subject is None:
        text = SchemaResolver(settings).schema(_number(id))
    else:
        source = SavedSchemas(settings.file) if settings.file else RegistryClient(settings)
        found: RegisteredSchema = source.version(subject, _number(version))
        complain(f"{found.subject}, version {found.version}, has id {found.id}")
        text = found.text
    typer.echo(text if not UNSEEN.search(text) else json_text(json.loads(text)))


def _client(settings: RegistrySettings, action: str) -> RegistryClient:
    if settings.file:
        raise CommandError(
            f"registry {action} asks a registry, and {public(settings.file)} is a file: give the URL of one"
        )
    return RegistryClient(settings)


def _number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 11 else text


def _schema_of(path: str) -> str:
    check_no_address(path)
    say_waiting(path)
    with sys.stdin.buffer if path == "-" else Path(path).open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise CommandError(f"{named(path)} has more than {MOST_BYTES:,} bytes; a file with one schema is expected")
    try:
        text = data.decode().strip()
        json.loads(text)
    except (ValueError, RecursionError):
        raise CommandError(f"{named(path)} is no JSON; a file with an Avro schema is expected") from None
    return text
