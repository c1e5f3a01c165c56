"""Mutations of messages; each is a function of a random source, a message and the corpus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from craft import wire

Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]

HOSTILE = tuple(
    wire.uvarint(number)
    for number in (2**31 - 2, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1)
)
"""Sizes and counts that nobody means; as zigzag numbers they are huge and negative ones too."""
OVERLONG = (
    b"\x80" * 9 + b"\x02",
    b"\x80" * 10 + b"\0",
    b"\xff" * 12,
    b"\x80\x00",
    b"\xff\x80\x00",
    b"\x80" * 8 + b"\x01",
)
BYTES = bytes((0, 1, 2, 3, 0x3F, 0x40, 0x7E, 0x7F, 0x80, 0x81, 0xC0, 0xFE, 0xFF))


def truncated(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """The first bytes of it."""
    return message[: chance.randrange(len(message))]


def beheaded(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """The last bytes of it."""
    return message[chance.randrange(len(message)) :]


def flipped(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """One to four bits."""
    image = bytearray(message)
    for _ in range(chance.randrange(1, 5)):
        image[chance.randrange(len(image))] ^= 1 << chance.randrange(8)
    return bytes(image)


def overwritten(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """One to four bytes."""
    image = bytearray(message)
    for _ in range(chance.randrange(1, 5)):
        image[chance.randrange(len(image))] = chance.choice(BYTES) if chance.random() < 0.7 else chance.randrange(256)
    return bytes(image)


def nudged(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """One byte one or two higher or lower: sizes that are a little wrong."""
    image = bytearray(message)
    place = chance.randrange(len(image))
    image[place] = (image[place] + chance.choice((-2, -1, 1, 2))) & 0xFF
    return bytes(image)


def inflated(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """A hostile or overlong number in place of a byte, or between two."""
    place = chance.randrange(len(message))
    return message[:place] + chance.choice(HOSTILE + OVERLONG) + message[place + chance.randrange(2) :]


def removed(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """Some bytes less."""
    place = chance.randrange(len(message))
    return message[:place] + message[place + chance.randrange(1, 9) :]


def repeated(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """Some bytes twice, or a hundred times."""
    place = chance.randrange(len(message))
    stop = place + chance.randrange(1, 9)
    return message[:stop] + message[place:stop] * chance.choice((1, 1, 2, 100)) + message[stop:]


def spliced(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """The front of one message and the back of another."""
    other = chance.choice(corpus)
    return message[: chance.randrange(len(message))] + other[chance.randrange(len(other)) :]


def grafted(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """A piece of another message in place of as many bytes: sizes stay right, contents do not."""
    other = chance.choice(corpus)
    size = chance.randrange(1, 1 + min(len(message), len(other), 40))
    place, source = chance.randrange(len(message) - size + 1), chance.randrange(len(other) - size + 1)
    return message[:place] + other[source : source + size] + message[place + size :]


def _tables(message: bytes) -> tuple[bytes, list[int]]:
    """What is before the size tables of a well-formed message, and the numbers of the tables as they are written."""
    size, end = 0, len(message)
    for shift in range(0, 70, 7):
        end -= 1
        size |= (message[end] & 0x7F) << shift
        if message[end] < 0x80:
            break
    numbers, number, shift = [], 0, 0
    for byte in message[end - size : end]:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number, shift = 0, 0
    return message[: end - size], numbers


def retabled(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """A number of the size tables changed, removed or added, and a trailer that is right again."""
    front, numbers = _tables(message)
    for _ in range(chance.randrange(1, 3)):
        place = chance.randrange(len(numbers)) if numbers else 0
        choice = chance.randrange(6)
        if choice == 0:
            numbers.insert(place, chance.choice((0, 1, 2, chance.randrange(300))))
        elif choice == 1 and numbers:
            del numbers[place]
        elif choice == 2 and numbers:
            numbers[place] = chance.choice((2**31 - 1, 2**32, 2**63, 2**64 - 1, 0, 1))
        elif choice == 3 and len(numbers) > 1:  # what one loses another one gets
            other, more = chance.randrange(len(numbers)), 2 * chance.randrange(1, 9)
            numbers[place], numbers[other] = numbers[place] + more, max(0, numbers[other] - more)
        elif numbers:
            numbers[place] = max(0, numbers[place] + chance.choice((-2, -1, 1, 2)))
    tables = wire.uvarints(numbers)
    return front + tables + wire.reversed_uvarint(len(tables))


def retrailed(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """Another trailer."""
    front, numbers = _tables(message)
    tables = wire.uvarints(numbers)
    sizes = (
        0,
        len(tables) - 1,
        len(tables) + 1,
        len(message),
        2**31 - 1,
        2**63,
        2**64 - 1,
        chance.randrange(2 * len(message)),
    )
    return front + tables + wire.reversed_uvarint(max(0, chance.choice(sizes)))


def recounted(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """A body one byte longer or shorter, with sizes that say so: the sections are right, the inside is wrong."""
    front, numbers = _tables(message)
    place = chance.randrange(1, len(front)) if len(front) > 1 else 0
    more = chance.choice((-1, 1))
    front = (
        front[:place] + front[place + 1 :]
        if more < 0
        else front[:place] + bytes((chance.randrange(256),)) + front[place:]
    )
    places = [k for k in range(1, len(numbers)) if numbers[k] > 3]
    for place in chance.sample(places, min(len(places), chance.randrange(1, 4))):
        numbers[place] = max(0, numbers[place] + 2 * more)
    tables = wire.uvarints(numbers)
    return front + tables + wire.reversed_uvarint(len(tables))


def twice(chance: Random, message: bytes, corpus: Sequence[bytes]) -> bytes:
    """Two mutations, one after the other."""
    for _ in range(2):
        if not message:
            break
        message = chance.choice(SINGLE)(chance, message, corpus)
    return message


SINGLE: tuple[Mutation, ...] = (
    truncated,
    beheaded,
    flipped,
    overwritten,
    nudged,
    inflated,
    removed,
    repeated,
    spliced,
    grafted,
)
"""Those that take any bytes."""
MUTATIONS: tuple[Mutation, ...] = (
    *SINGLE,
    flipped,
    overwritten,
    nudged,
    inflated,
    grafted,
    retabled,
    retabled,
    retrailed,
    recounted,
    recounted,
    twice,
)
"""All of them; those that get furthest into a message more than once."""


def mutated(chance: Random, corpus: Sequence[bytes]) -> bytes:
    """A message of the corpus, spoiled."""
    return chance.choice(MUTATIONS)(chance, chance.choice(corpus), corpus)
