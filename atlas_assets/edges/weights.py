"""The weights of evidence: what speaks for a producer, in points, and what against.

They began as those of a prototype measured on hand-judged servers, and were mended on the
development sets; `benchmarks/first_contact.md` tells how they fared on servers met afterwards.
"""

from atlas_assets.edges.vocabulary import VerbClass

# which candidates of a slot are kept
KEEP = 3.3
"""A candidate is kept from this score on,"""
MARGIN = 1.6
"""and within this of the best of its slot."""
BEST = 5.6
"""A better score than this does not push others out: an author who names one tool names an example."""
TENTATIVE = 1.7
"""Where no candidate reaches KEEP, the best ones are kept as guesses from this score on."""
MAX_PRODUCERS = 8
MAX_MATCHES = 80
"""Offers of one resource that a slot looks at, the strongest first: servers have rarely more."""

# what a tool offers, times how close it is and how plainly it is said (0 to 1)
OFFER = 3.0
EXACT_MANY_WORDS = 1.0
SYNONYM = 0.75
HEAD_ONLY = 0.8
WILD = 0.8
"""How plainly a search over everything offers one resource."""
HANDLE = 3.1
"""`run_job` for a `run_id`."""
JOB = 4.2
"""`crawl` for the id that `check_crawl_status` asks."""
HOLDER = 2.6
"""The getter of a container, for what stands in it."""
TELLS = 0.9
"""A getter that asks nothing, for a parameter of its very name."""

# the author's words
MENTIONED = 2.5
BY_MENTION = 1.5
"""A tool that is only named, and offers nothing that fits."""

# what the tool does
VERB: dict[VerbClass, float] = {
    "many": 1.0,
    "find": 0.9,
    "one": -0.6,
    "make": -1.2,
    "start": 0.0,
    "login": -0.6,
    "change": -8.0,
    "other": -0.6,
}
SAME_SERVER = 0.6
PER_PARAMETER = -0.25

# where it stands
SAME_SPACE = 0.4
OTHER_SPACE = -1.6
NO_SPACE = -0.8
"""Without a namespace, where the consumer's own has a producer."""
OTHER_COLLECTION = -2.5
OTHER_SCOPE = -1.2
OTHER_KIND = -1.2

# what it asks for
REQUIRES_IT = -4.0
CHILD_OF_IT = -1.5
TAKES_IT = -1.5

# what its output fields say
FOREIGN = -0.3
LINK = 1.1
"""A foreign key to the bare `{id}` of a REST path."""
CLASH = -2.5
"""Output fields that name the resource by another suffix (`policy_name` for an ARN)."""
CONCRETE = 1.0
"""Surer, not stronger: an output field is no reading of prose."""

INCIDENTAL = -1.0
"""Tools that only make new ones, where one reads."""
READABLE = 2.5
