"""Which provider answers, read from the environment, and who will therefore receive the catalog.

The first of these that is set decides: `ANTHROPIC_API_KEY`; `OPENAI_API_KEY`, or `OPENAI_BASE_URL`
alone (Ollama, LM Studio, vLLM: no key); `GEMINI_API_KEY` or `GOOGLE_API_KEY`; `OPENROUTER_API_KEY`;
else `local`, the built-in rules, which ask nobody. `LLM_PROVIDER` and `LLM_MODEL` override. Every
provider's address can be set: `ANTHROPIC_BASE_URL`, `OPENAI_BASE_URL`, `GEMINI_BASE_URL`,
`OPENROUTER_BASE_URL`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from atlas_assets.errors import ConfigError

ProviderName = Literal["anthropic", "openai", "gemini", "openrouter", "local"]

PROVIDERS: tuple[ProviderName, ...] = ("anthropic", "openai", "gemini", "openrouter", "local")
"""In the order in which the environment is asked."""

_ALIASES: dict[str, ProviderName] = {"google": "gemini", "claude": "anthropic"}

_KEYS: dict[ProviderName, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "openrouter": ("OPENROUTER_API_KEY",),
}

_ADDRESSES: dict[ProviderName, tuple[str, str]] = {
    "anthropic": ("ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
    "openai": ("OPENAI_BASE_URL", "https://api.openai.com/v1"),
    "gemini": ("GEMINI_BASE_URL", "https://generativelanguage.googleapis.com/v1beta/openai/"),
    "openrouter": ("OPENROUTER_BASE_URL", "https://openrouter.ai/api/v1"),
}

FREE_MODELS: tuple[str, ...] = (
    "nvidia/nemotron-3-ultra-550b-a55b:free",
    "thinkingmachines/inkling:free",
    "minimax/minimax-m3.1-flash:free",
    "nvidia/nemotron-3.5-lightning:free",
    "nvidia/nemotron-3-super-120b-a12b:free",
    "google/gemma-4-31b-it:free",
)
"""OpenRouter's free models with a context of 262,144 tokens or more, asked in this order."""

_MODELS: dict[ProviderName, tuple[str, ...]] = {
    "anthropic": ("claude-sonnet-5-5",),
    "openai": ("gpt-6.1-terra",),
    "gemini": ("gemini-3.8-flash",),
    "openrouter": FREE_MODELS,
}

NO_KEY = "no-key-needed"
"""Sent where a server needs no key: the openai client refuses an empty one."""


@dataclass(frozen=True, slots=True)
class ProviderChoice:
    """Who is asked.

    `models` are tried in order where the first cannot answer (OpenRouter); for the others it holds
    one model. It is empty for `local`, and for a server of one's own without `LLM_MODEL`, whose
    first listed model is then taken. `key` and `base_url` may be secret and are left out of `repr`.
    `key_name` is the variable that a refused key should be looked for in.
    """

    name: ProviderName
    models: tuple[str, ...] = ()
    base_url: str = field(default="", repr=False)
    key: str = field(default="", repr=False)
    key_name: str = ""

    @property
    def model(self) -> str:
        """The model asked first; "" for `local`, and where the server is to say."""
        return self.models[0] if self.models else ""

    @property
    def host(self) -> str:
        """The host (and port) that is asked: never userinfo, path or query."""
        parts = urlsplit(self.base_url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.hostname or ''}{port}"

    @property
    def own_server(self) -> bool:
        """True for an OpenAI-compatible server that is not OpenAI's own."""
        return self.name == "openai" and self.host != urlsplit(_ADDRESSES["openai"][1]).hostname

    @property
    def receiver(self) -> str:
        """One sentence that says who will receive the catalog, without secrets."""
        if self.name == "local":
            return "Nobody receives the catalog: the built-in rules (local) answer on this machine."
        asked = f" (model {self.model})" if self.model else ""
        if len(self.models) > 1:
            asked = f" (model {self.model}, else {len(self.models) - 1} more)"
        return f"The whole tool catalog will be sent to {self.name} at {self.host}{asked}."


def choose_provider(environ: Mapping[str, str]) -> ProviderChoice:
    """The provider that the environment asks for.

    Raises ConfigError for an unknown `LLM_PROVIDER`, for one without its key, and for an address
    that is no http(s) URL.
    """
    wanted = environ.get("LLM_PROVIDER", "").strip()
    if wanted:
        return named_provider(wanted, environ)
    for name in PROVIDERS:
        if name == "local" or _is_set_up(name, environ):
            return named_provider(name, environ)
    raise AssertionError("local needs nothing")


def named_provider(wanted: str, environ: Mapping[str, str]) -> ProviderChoice:
    """The provider of that name, set up from the environment; raises as `choose_provider` does."""
    lowered = wanted.strip().lower()
    name = _ALIASES.get(lowered) or next((p for p in PROVIDERS if p == lowered), None)
    if name is None:
        raise ConfigError(f"{wanted!r} is no provider; set LLM_PROVIDER to one of {', '.join(PROVIDERS)}")
    if name == "local":
        return ProviderChoice("local")
    if not _is_set_up(name, environ):
        needed = " or ".join(_KEYS[name]) + (" (or OPENAI_BASE_URL)" if name == "openai" else "")
        raise ConfigError(f"the provider {name!r} needs {needed}; set it, or LLM_PROVIDER=local")
    key_name = next((k for k in _KEYS[name] if environ.get(k, "").strip()), _KEYS[name][0])
    variable, default = _ADDRESSES[name]
    base_url = environ.get(variable, "").strip() or default
    choice = ProviderChoice(
        name,
        models=_models(name, environ),
        base_url=base_url,
        key=environ.get(key_name, "").strip() or NO_KEY,
        key_name=key_name,
    )
    _check_address(variable, base_url)
    if choice.own_server and not environ.get("LLM_MODEL", "").strip():
        return ProviderChoice("openai", base_url=base_url, key=choice.key, key_name=key_name)
    return choice


def choose_providers(names: str, environ: Mapping[str, str]) -> tuple[ProviderChoice, ...]:
    """The providers of a list `a,b`, each asked of every consumer. Raises ConfigError as above.

    `LLM_MODEL` belongs to the provider that the environment picks; a name may carry its own model
    as in `anthropic=claude-haiku-4-5`.
    """
    choices: list[ProviderChoice] = []
    for part in (p.strip() for p in names.split(",")):
        if not part:
            continue
        name, _, model = part.partition("=")
        own = dict(environ)
        if model:
            own["LLM_MODEL"] = model
        elif len(names.split(",")) > 1 and environ.get("LLM_PROVIDER", "").strip().lower() != name.lower():
            own.pop("LLM_MODEL", None)
        choices.append(named_provider(name, own))
    if not choices:
        raise ConfigError(f"{names!r} names no provider; write for example anthropic,local")
    seen = {(c.name, c.models) for c in choices}
    if len(seen) < len(choices):
        raise ConfigError(f"{names!r} names the same provider twice")
    return tuple(choices)


def chosen_providers(environ: Mapping[str, str]) -> tuple[ProviderChoice, ...]:
    """Every provider that the environment asks for: those of `ATLAS_PROVIDERS`, else the one."""
    names = environ.get("ATLAS_PROVIDERS", "").strip()
    return choose_providers(names, environ) if names else (choose_provider(environ),)


def _is_set_up(name: ProviderName, environ: Mapping[str, str]) -> bool:
    if any(environ.get(key, "").strip() for key in _KEYS[name]):
        return True
    return name == "openai" and bool(environ.get("OPENAI_BASE_URL", "").strip())


def _models(name: ProviderName, environ: Mapping[str, str]) -> tuple[str, ...]:
    wanted = environ.get("LLM_MODEL", "").strip()
    if not wanted:
        return _MODELS[name]
    if name == "openrouter":
        return tuple(m.strip() for m in wanted.split(",") if m.strip())
    return (wanted,)


def _check_address(variable: str, base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        # the address itself may hold a secret, so only its variable is named
        raise ConfigError(f"{variable} is no http(s) address; set it as in https://host/v1")
