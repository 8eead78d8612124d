"""The words of the field that the rules know: verbs, identifier suffixes, modifiers, synonyms.

Every entry is true of tools in general. Nothing here names a server, a vendor or one product's
nouns; what two words have in common is stated once, as a group of synonyms.
"""

from typing import Literal

from atlas_assets.edges.words import word_set

VerbClass = Literal["many", "find", "one", "make", "start", "login", "change", "other"]
"""What a verb does for a caller who needs an identifier: `many` lists, `find` searches, `one` returns
one thing, `make` creates, `start` begins something that has a handle, `login` opens a session,
`change` alters or removes, `other` says nothing."""


def _verbs(**classes: str) -> dict[str, VerbClass]:
    return {word: kind for kind, words in classes.items() for word in words.split()}  # type: ignore[misc]


VERBS: dict[str, VerbClass] = _verbs(
    many="list lists listing enumerate browse ls index show discover explore listall all",
    find="search find query lookup locate match filter resolve grep look suggest autocomplete "
    "discover geocode",
    one="scan get gets fetch retrieve read describe view load download export inspect check peek pull "
    "obtain return returns display print see extract take capture snapshot analyze analyse "
    "calculate compute estimate preview count summarize summarise explain compare diff convert "
    "generate validate verify identify recommend determine detect translate parse scrape crawl "
    "map monitor",
    make="create add insert new make register provision upload import clone fork copy duplicate "
    "build define draft compose post put upsert save write append prepend submit generate book "
    "place buy order reserve schedule subscribe issue publish deploy install open",
    start="start begin launch run execute trigger invoke dispatch initiate spawn enqueue queue schedule exec",
    login="login signin authenticate authorize connect log_in sign_in",
    change="update edit modify change set patch replace rename move delete remove destroy drop clear "
    "purge cancel stop terminate kill close end abort archive unarchive restore reset revoke "
    "disable enable activate deactivate pause resume suspend restart reboot assign unassign "
    "attach detach link unlink merge reply send forward mark unmark pin unpin lock unlock "
    "approve reject accept decline complete finish resolve reopen transition transfer promote "
    "demote rotate apply push commit revert rollback toggle switch bind unbind grant deny block "
    "unblock mute unmute follow unfollow like unlike react vote rate tag untag label comment "
    "notify email subscribe share unshare invite kick ban unban add_to empty format write put "
    "append prepend insert_into upload save store overwrite trash untrash unschedule reschedule "
    "unsubscribe subscribe deregister uninstall undeploy fire press click type fill hover drag "
    "scroll configure adjust tune cleanup erase wipe truncate reorder sort_by swap shift rebase "
    "squash cherry sync synchronize migrate upgrade downgrade scale resize bulk batch upsert "
    "refund void capture_payment charge pay redeem claim interact focus tap swipe select "
    "deselect check_off uncheck",
)
"""A leading verb and its class; where a word is given twice the last group wins."""

for _word, _kind in {
    "resolve": "find",
    "schedule": "make",
    "upload": "make",
    "insert": "make",
    "upsert": "make",
    "generate": "make",
    "post": "make",
    "put": "change",
    "write": "change",
    "save": "make",
    "append": "change",
    "discover": "many",
    "show": "one",
    "select": "one",
    "apply": "change",
}.items():
    VERBS[_word] = _kind  # type: ignore[assignment]

CLEAR_VERBS = word_set(
    "get list create update delete search find fetch add remove set read edit send move modify "
    "describe retrieve cancel start stop insert upsert query lookup rename replace attach detach "
    "enable disable download upload execute exec terminate clone copy duplicate deploy install "
    "uninstall append open close restore revoke approve reject assign unassign login batch bulk "
    "validate put post"
)
"""Verbs that are read as such in the middle or at the end of a name, for they are hardly ever nouns."""

DEEDS = {
    "connect": "connection",
    "execute": "execution",
    "subscribe": "subscription",
    "deploy": "deployment",
    "transcribe": "transcription",
    "generate": "generation",
    "invoke": "invocation",
    "book": "booking",
    "reserve": "reservation",
    "register": "registration",
    "publish": "publication",
    "analyze": "analysis",
    "simulate": "simulation",
    "evaluate": "evaluation",
    "migrate": "migration",
    "predict": "prediction",
    "invite": "invitation",
    "pay": "payment",
    "submit": "submission",
    "convert": "conversion",
    "render": "rendering",
    "process": "process",
}
"""What the handle is called that a verb's tool returns."""

QUANTIFIERS = word_set("batch bulk multiple many all several multi my current mine one single any each")

REMOVERS = word_set(
    "delete remove destroy drop clear purge cancel stop terminate kill close end abort archive trash "
    "erase wipe truncate uninstall unsubscribe deregister revoke detach unlink untag"
)

ID_SUFFIXES = word_set(
    "id ids uuid uuids guid gid sid iid urn arn arns uid uids oid pid identifier identifiers"
)
"""Last words of a name that make it an identifier whatever stands before."""

KEY_SUFFIXES = word_set(
    "key keys name names number num numbers no slug slugs sha handle code codes ref refs tag hash "
    "index indices token ts email username login address symbol ticker shortname signature version"
)
"""Last words that make a name an identifier only where the word before them names a resource."""

OVERVIEWS = word_set(
    "info information snapshot outline overview structure state layout summary tree status inventory"
)
"""Last words of a tool that shows a whole at a glance."""

ACTION_PARAMETERS = word_set("action operation mode command subcommand method op task_type verb")
"""Parameters whose enum lists the several things that one tool does."""

MODIFIERS = word_set(
    "source target src dst dest destination origin parent child from to old new current first second "
    "left right inward outward start end base other related linked existing previous next last "
    "initial final default primary secondary main root top sub inner outer original actual given "
    "specific selected target input output external internal remote local private public custom "
    "global my own unique full single multiple associated corresponding desired optional required "
    "valid exact starting ending incoming outgoing before after departure arrival head tail requested "
    "existing original"
)
"""Words before a noun that say which one it is, not what it is."""

DETERMINERS = word_set(
    "a an the all any one each every this that these those your their its his her our my some such no "
    "other another both either specific specified particular given existing new recent latest "
    "available current multiple detailed complete full entire single several various certain more "
    "further additional matching relevant accessible active open paginated filtered comprehensive "
    "basic raw single total list lists listing set number array collection sequence overview summary "
    "details detail information info metadata data about possible valid supported allowed global "
    "individual corresponding associated related full-text first last top next previous real-time "
    "real time up-to-date simple brief short most recently recursive hierarchical flat registered "
    "configured installed known default visible public private unique exact concise structured rich "
    "in-depth general of from for many up-to"
)
"""Words that stand before the noun of a phrase and are no part of it."""

PHRASE_ENDS = word_set(
    "of in on at by for from with within without across into onto to using via through that which who "
    "whose where when while if as based against under over between among after before during about "
    "per including includes include matching filtered filtering sorted ordered grouped belonging "
    "associated available accessible attached linked related given is are was were be been has have "
    "had can could will would should may must it they you we so than then because but not only "
    "optionally currently owned assigned stored used being since until like such along containing "
    "contained contains sent visible created modified defined specified named identified returned "
    "provided supported allowed exposed configured installed inside outside there this returns return "
    "returning assignable shared merged placed starting listed received shown needed required changed "
    "made received according plus up out"
)
"""Words at which a noun phrase ends."""

SHELLS = word_set(
    "tree listing log logs hierarchy child children detail details info information profile summary "
    "overview result results data metadata entry entries record set collection catalog directory page "
    "pages snapshot history contents content item items object objects report batch all value values "
    "row rows member name names id ids full simple option options batch outline"
)
"""Last words of an object that only wrap the noun before them (`page tree` lists pages)."""

HARD_SHELLS = word_set(
    "log logs history tree listing hierarchy child children detail details info information"
)

STATES = word_set(
    "status state result results progress output log logs history stats statistics metric metrics "
    "count summary report detail details info health"
)

ATTRIBUTES = STATES | word_set(
    "secret password key token setting settings configuration permission permissions restriction name title "
    "position date content contents icon avatar image logo visibility privacy role access field fields value"
)
"""Heads of an object that belong to what stands before them: the id is the holder's."""

READERS: frozenset[VerbClass] = frozenset({"many", "find", "one"})
