"""Names and values in sentences for people: whoever wrote them, a sentence stays one, of a length that can be read.

Every text of `tidewire.runtime.errors` goes through here. A name or a value is whatever a message has: as long as the
message, and with characters that a terminal obeys (an escape sequence, a line break, a mark that turns the direction of
writing). What is cut or escaped once stays as it is when it is cut or escaped again: errors are copied and pickled.
"""

from __future__ import annotations

import re

MOST_SHOWN = 200
"""Characters of a name or value that an error shows."""
MOST_SAID = 2000
"""Characters of what an error says is wrong, names and values included."""
HIDDEN = "***"
"""Stands in texts where a secret was."""
_WORD = re.compile(r"[^\s\"]+")
_BEGUN = re.compile(r"https?:(?!/)|(?<=:)/(?!/)|//(?!/)", re.IGNORECASE)
"""The last of what stands before host and user of an address."""
_BEHIND = "'`)]},.;:…"
"""What stands behind an address in a sentence."""
_ADDRESS = re.compile(r"([A-Za-z][\w+.-]*:)?(/*)(.*)", re.DOTALL)
_AT = re.compile(r"(.*)(?:@|%(?:25)*40)", re.DOTALL)
_QUERY = re.compile(r"[?#;]|%(?:25)*(?:3f|23|3b)|(?:&|%(?:25)*26)[\w.-]+(?:=|%(?:25)*3d)", re.IGNORECASE)
"""Where settings begin in an address, also where it is quoted."""
_RUN = re.compile(rf"([^\s…]{{{MOST_SHOWN}}})[^\s…]{{41,}}(… \([0-9,]+ characters\))?")
"""What has no space and is longer than a name or value that is shown, with quotes around it."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MORE = re.compile(r"… \([0-9,]+ characters\)\Z")


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """The text, or its beginning and how long it is; what is no printable character escaped, as in \\u202e."""
    size = len(text)
    cut = size > most
    if cut:
        found = _MORE.search(text, max(0, size - 40))
        cut = found is None or found.start() > most
    # the end of a user may stand behind what is shown of it
    head = _masked(text[: 2 * most + MOST_SAID])[:most] if cut else _masked(text)
    if not head.isprintable():
        head = "".join(one if one.isprintable() else _escaped(one) for one in head)
    cut = cut or (len(head) > most and _MORE.search(head) is None)
    return f"{head[:most]}… ({size:,} characters)" if cut else head


def _masked(text: str) -> str:
    """The text, with stars for all that may be a secret in its addresses: before the last @, and behind ``?``."""
    return _WORD.sub(_word_masked, text) if "@" in text or "://" in text else text


def _word_masked(word: re.Match[str]) -> str:
    text = word[0]
    at = text.rfind("@")
    begun = None if at < 0 else _BEGUN.search(text, 0, at)
    if begun is not None:
        text = f"{text[: begun.end()]}{HIDDEN}{text[at:]}"
    if "://" in text:
        plain = text.rstrip(_BEHIND)
        query = _QUERY.search(plain, text.index("://"))
        if query is not None:
            text = f"{plain[: query.start()]}?{HIDDEN}{text[len(plain) :]}"
    return text


def _escaped(one: str) -> str:
    code = ord(one)
    return _SHORT.get(one) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def public(address: str) -> str:
    """A URL or path as it may be shown: without user, password and what follows ``?``, ``#`` or ``;``, where they may
    hold secrets. What was meant as a URL is one here, though it may lack a part of one.
    """
    return _parted(address)[0]


def without_secrets(text: str, address: str) -> str:
    """A text that others wrote about an address, without what `public` does not show of it."""
    plain, secrets = _parted(address)
    for whole, kept in ((address, plain), *((secret, HIDDEN) for secret in secrets)):
        if whole:
            text = text.replace(whole, kept)
    return text


def _parted(address: str) -> tuple[str, tuple[str, ...]]:
    """What may be shown of an address, and what may not."""
    found = _ADDRESS.fullmatch(address)
    assert found is not None
    scheme, slashes, rest = found[1] or "", found[2], found[3]
    secrets: tuple[str, ...] = ()
    user = _AT.match(rest)
    if user is not None and (scheme or ":" in user[1] or len(slashes) > 1):
        secrets = (user[1], user[1].partition(":")[2])
        rest = f"{HIDDEN}@{rest[user.end() :]}"
    query = _QUERY.search(rest)
    if query is not None:
        secrets += (rest[query.end() :],)
        rest = f"{rest[: query.start()]}?{HIDDEN}"
    return f"{scheme}{slashes}{rest}", tuple(one for one in secrets if one not in ("", HIDDEN))


def sentence(text: str, most: int = MOST_SAID) -> str:
    """The same of a whole sentence, and of each name or value in it that has no space."""
    said = shortened(text, 4 * most)
    if len(said) <= MOST_SHOWN:
        return said
    said = _RUN.sub(lambda run: f"{run[1]}{run[2] or f'… ({len(run[0]):,} characters)'}", said)
    more = _MORE.search(said)
    if len(said) <= most or (more is not None and more.start() <= most):
        return said
    return f"{said[:most]}… ({len(text):,} characters)"


def shown(value: object) -> str:
    """A value as Python writes it, or the beginning of that."""
    if isinstance(value, str | bytes | bytearray) and len(value) > MOST_SHOWN:
        what = "characters" if isinstance(value, str) else "bytes"
        head = _masked(value[: 2 * MOST_SAID])[:MOST_SHOWN] if isinstance(value, str) else value[:MOST_SHOWN]
        return f"{head!r}… ({len(value):,} {what})"
    try:
        return shortened(repr(value))
    except Exception as error:  # whatever the value's own code raises, and numbers of more digits than Python writes
        return f"{type(value).__name__} that cannot be shown ({type(error).__name__})"
