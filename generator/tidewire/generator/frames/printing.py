"""The files of the codec of a protocol of frames: their paths below generated/ and their text."""

from __future__ import annotations

from collections.abc import Iterator

from ..codec_files import codec_files
from ..json.carried import codec_columns
from ..json.model import Scalar
from ..plan.facade import PlannedContrast, PlannedItems, PlannedRandom, WireFacts, facade_plan
from ..plan.signs import Signs
from .carried import names_plan
from .model import FramesProtocol
from .passes import FramesContext
from .reading import FramesReadPlanner
from .writing import FramesWritePlanner

LENGTH = 8
"""The size of the length before a frame, in bytes."""


def codec(context: FramesContext, module: str) -> dict[str, str]:
    """Path (with slashes) -> text."""
    spec, protocol = context.spec, context.protocol
    columns, filled = codec_columns(spec, protocol, context.meaning.fields(spec))
    names = names_plan(spec, protocol, columns, filled)
    reading = FramesReadPlanner(spec, protocol, columns[:filled], names).plan_frames(module)
    writing = FramesWritePlanner(spec, protocol, columns, names).plan_frames(module)
    head = protocol.key_frames.head
    facts = WireFacts(
        text=True,
        sorted=writing.sorted,
        images=_images(protocol),
        shows=dict(_shows(protocol)),
        signs=Signs(
            prefix=b"" if head is None else head.const.to_bytes(LENGTH, "big"),
            part="key",
        ),
        contrasts=tuple(_contrasts(protocol)),
        random=tuple(_random(protocol)),
        keyed=True,
        gathered=protocol.batching is not None,
        items=PlannedItems(LENGTH) if protocol.compression is not None else None,
    )
    facade = facade_plan(spec, protocol, context.meaning, facts)
    return codec_files(
        spec,
        module,
        "frames",
        names=names,
        facade=facade,
        decoder=reading,
        encoder=writing,
        dissector=reading,
    )


def _images(protocol: FramesProtocol) -> dict[str, str]:
    """By image the name of the member that holds it, for the kind with the most images."""
    names = {member.id: str(member.name) for member in protocol.images}
    kinds = [images for case in protocol.cases for images in case.kinds.values()]
    most = max(kinds, key=len, default={})
    return {str(image): names[member] for image, member in most.items()}


def _shows(protocol: FramesProtocol) -> Iterator[tuple[str, str]]:
    """The options without which messages of some events lack a row image, each with the image."""
    whens = {member.id: member.when for member in protocol.images}
    for case in protocol.cases:
        for images in case.kinds.values():
            for image, id in images.items():
                if whens[id] is not None:
                    yield str(whens[id]), str(image)


def _contrasts(protocol: FramesProtocol) -> Iterator[PlannedContrast]:
    """What producers write differently for a row without columns."""
    for image in protocol.images:
        if len(set(image.empty.values())) > 1:
            says = tuple((str(who), str(text)) for who, text in image.empty.items())
            yield PlannedContrast(f"{image.name}-of-no-columns", says)


def _random(protocol: FramesProtocol) -> Iterator[PlannedRandom]:
    """The members that producers write differently every time."""
    for _, member in protocol.walk():
        if isinstance(member, Scalar) and member.random_value:
            name, about = str(member.reason), f"{member.name} has another value every time it is written."
            yield PlannedRandom(name, (str(member.name),), "value", about)
