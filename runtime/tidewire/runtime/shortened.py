"""Shortens and escapes names and values that are shown in error messages.

All texts of `tidewire.runtime.errors` pass through this module. Names and values come from messages, so they can be
very long and contain control characters (escape sequences, line breaks, direction marks). Every function is idempotent,
because errors are copied and pickled.
"""

from __future__ import annotations

import re

MOST_SHOWN = 200
"""Maximum characters shown of a name or value."""
MOST_SAID = 2000
"""Maximum characters of an error's detail, including names and values."""
HIDDEN = "***"
"""Replaces a secret in texts."""
_WORD = re.compile(r"[^\s\"]+")
_BEGUN = re.compile(r"https?:(?!/)|(?<=:)/(?!/)|//(?!/)", re.IGNORECASE)
"""The end of the part of an address before user and host."""
_BEHIND = "'`)]},.;:…"
"""Punctuation that can follow an address in a sentence."""
_ADDRESS = re.compile(r"([A-Za-z][\w+.-]*:)?(/*)(.*)", re.DOTALL)
_AT = re.compile(r"(.*)(?:@|%(?:25)*40)", re.DOTALL)
_QUERY = re.compile(r"[?#;]|%(?:25)*(?:3f|23|3b)|(?:&|%(?:25)*26)[\w.-]+(?:=|%(?:25)*3d)", re.IGNORECASE)
"""The beginning of the query or fragment of an address, also if it is percent-encoded."""
_RUN = re.compile(rf"([^\s…]{{{MOST_SHOWN}}})[^\s…]{{41,}}(… \([0-9,]+ characters\))?")
"""A run of characters without a space that is longer than a shortened name or value with its quotes."""
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_MORE = re.compile(r"… \([0-9,]+ characters\)\Z")


def shortened(text: str, most: int = MOST_SHOWN) -> str:
    """The text with non-printable characters escaped, as in \\u202e; a long text is cut, and its length is appended."""
    size = len(text)
    cut = size > most
    if cut:
        found = _MORE.search(text, max(0, size - 40))
        cut = found is None or found.start() > most
    # the @ behind the user may be beyond the part that is shown
    head = _masked(text[: 2 * most + MOST_SAID])[:most] if cut else _masked(text)
    if not head.isprintable():
        head = "".join(one if one.isprintable() else _escaped(one) for one in head)
    cut = cut or (len(head) > most and _MORE.search(head) is None)
    return f"{head[:most]}… ({size:,} characters)" if cut else head


def _masked(text: str) -> str:
    """The text with asterisks in place of possible secrets in addresses: everything before the last @, and behind
    ``?``.
    """
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
    """The part of a URL or path that may be shown: without user and password, and without everything behind ``?``,
    ``#`` or ``;``, which may be a secret. Malformed URLs are treated as URLs.
    """
    return _parted(address)[0]


def without_secrets(text: str, address: str) -> str:
    """A text from another program about an address, without the parts that `public` removes."""
    plain, secrets = _parted(address)
    for whole, kept in ((address, plain), *((secret, HIDDEN) for secret in secrets)):
        if whole:
            text = text.replace(whole, kept)
    return text


def _parted(address: str) -> tuple[str, tuple[str, ...]]:
    """The part of an address that may be shown, and its secret parts."""
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
    """Shortens a whole sentence, and each name or value in it that contains no space."""
    said = shortened(text, 4 * most)
    if len(said) <= MOST_SHOWN:
        return said
    said = _RUN.sub(lambda run: f"{run[1]}{run[2] or f'… ({len(run[0]):,} characters)'}", said)
    more = _MORE.search(said)
    if len(said) <= most or (more is not None and more.start() <= most):
        return said
    return f"{said[:most]}… ({len(text):,} characters)"


def shown(value: object) -> str:
    """The repr of a value, shortened."""
    if isinstance(value, str | bytes | bytearray) and len(value) > MOST_SHOWN:
        what = "characters" if isinstance(value, str) else "bytes"
        head = _masked(value[: 2 * MOST_SAID])[:MOST_SHOWN] if isinstance(value, str) else value[:MOST_SHOWN]
        return f"{head!r}… ({len(value):,} {what})"
    try:
        return shortened(repr(value))
    except Exception as error:  # a __repr__ may raise anything, and int refuses to print very long numbers
        return f"{type(value).__name__} that cannot be shown ({type(error).__name__})"
