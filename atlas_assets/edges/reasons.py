"""One short sentence for people: which words and fields decided an edge."""

from atlas_assets.edges.evidence import Candidate
from atlas_assets.edges.slots import SlotSignature

_DOES = {
    "many": "lists",
    "find": "finds",
    "one": "returns",
    "make": "makes",
    "start": "starts",
    "login": "opens",
    "change": "touches",
    "other": "offers",
}


def direct_reason(slot: SlotSignature, candidate: Candidate) -> str:
    """Why a tool may fill an identifier slot."""
    place = slot.param if slot.path is None else f"{slot.param}.{slot.path}"
    tool = candidate.placed.tool.name
    if candidate.mention is not None:
        return f"The author names {tool!r} for {place!r}: {candidate.mention.sentence!r}."
    offer = candidate.offer
    if offer is None:
        return f"{tool!r} may know {place!r}."
    what = " ".join(offer.noun)
    if candidate.held:
        return f"Nothing lists {_wanted(slot)}; {tool!r} returns the {what!r} that holds it."
    if offer.source == "output":
        return f"{place!r} needs {_wanted(slot)}; {tool!r} returns it in its field {offer.field!r}."
    source = {
        "name": "by its name",
        "description": "by its description",
        "returns": "by what it says it returns",
    }
    also = " (a synonym)" if candidate.synonym else ""
    does = _DOES[candidate.placed.signature.verb_class]
    return f"{place!r} needs {_wanted(slot)}; {tool!r} {does} {what!r}{also} {source[offer.source]}."


def _wanted(slot: SlotSignature) -> str:
    noun = " ".join(slot.nouns[0]) if slot.nouns else "it"
    suffix = slot.suffix or "name or id"
    return f"the {suffix} of {noun!r}"
