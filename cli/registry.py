"""`tidewire registry`: what a schema registry holds, saved for work without it."""

from __future__ import annotations

from typing import Annotated

import typer

from tidewire.cli.shell import CommandError, complain, many
from tidewire.runtime.errors import OptionError
from tidewire.runtime.registry import (
    RegistryClient,
    RegistrySettings,
    SchemaRegistryError,
    save_schemas,
    snapshot,
)


def registry(
    action: Annotated[str, typer.Argument(help="snapshot: save the schemas.")],
    file: Annotated[str, typer.Argument(help="Where they are saved, as JSON. A file that is there is replaced.")],
    url: Annotated[
        list[str], typer.Option(help="Of the registry; give several, and the next is asked when one is down.")
    ],
    subject: Annotated[list[str] | None, typer.Option(help="Save this one only; can be given again.")] = None,
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
) -> None:
    """Save the schemas of a registry, so that messages can be read without it.

    `registry snapshot FILE --url http://registry:8081` asks a Confluent-compatible registry for all versions of its
    subjects.
    """
    if action != "snapshot":
        raise CommandError(f"registry cannot do {action!r}; it can snapshot")
    try:
        settings = RegistrySettings(
            tuple(url),
            user=user,
            password=password,
            token=token,
            ca_file=ca_file,
            certificate=certificate,
            key=key,
            deadline=deadline,
        )
        schemas = snapshot(RegistryClient(settings), subject or None)
        save_schemas(file, schemas)
    except (OptionError, SchemaRegistryError) as error:
        raise CommandError(str(error)) from None
    except OSError as error:
        raise CommandError(f"{file} cannot be written: {error.strerror}") from None
    subjects = len({schema.subject for schema in schemas})
    complain(f"{many(len(schemas), 'schema')} of {many(subjects, 'subject')} are in {file}")
