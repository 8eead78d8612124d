"""One POST a scan that changed something, to `ATLAS_WEBHOOK_URL`.

The body is `{"text", "added", "removed", "changed", "changes": [{slug, kind, field, before, after}]}`;
`text` is what chat services show. The address may hold a secret and appears in no message.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from urllib.parse import urlsplit

import httpx

from atlas_assets.catalog.drift import ToolChange, summary
from atlas_assets.catalog.visible import visible

WEBHOOK = "ATLAS_WEBHOOK_URL"
SECONDS = 10.0
TEXT_LIMIT = 2_000
CHANGES_SENT = 200


def notify(changes: Sequence[ToolChange], environ: Mapping[str, str]) -> str:
    """Tell the webhook of `changes`; one line where it could not be told, else "".

    Nothing is sent without changes or without an address. Redirects are not followed.
    """
    address = environ.get(WEBHOOK, "").strip()
    if not address or not changes:
        return ""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return f"{WEBHOOK} is no http(s) address, so nobody was told of the changes; correct it"
    try:
        answer = httpx.post(address, json=message(changes), timeout=SECONDS, follow_redirects=False)
    except httpx.HTTPError as error:
        return f"the webhook at {parts.hostname!r} could not be told of the changes: {type(error).__name__}"
    if not answer.is_success:
        return f"the webhook at {parts.hostname!r} refused the changes: status {answer.status_code}"
    return ""


def message(changes: Sequence[ToolChange]) -> dict[str, object]:
    """The body of the POST; hidden characters in tools' text are made visible."""
    tools = {kind: sorted({c.slug for c in changes if c.kind == kind}) for kind in _KINDS}
    return {
        "text": f"MCP Atlas: the last scan found tools {summary(changes)}",
        **{kind: [visible(slug) for slug in slugs] for kind, slugs in tools.items()},
        "changes": [
            {
                key: visible(value, TEXT_LIMIT) if isinstance(value, str) else value
                for key, value in asdict(change).items()
                if key != "scan"
            }
            for change in changes[:CHANGES_SENT]
        ],
        "more": max(len(changes) - CHANGES_SENT, 0),
    }


_KINDS = ("added", "removed", "changed")
