import pytest

from atlas_assets.edges.semantic.choose import choose_provider, choose_providers
from atlas_assets.errors import ConfigError

KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-1",
    "OPENAI_API_KEY": "sk-oa-1",
    "GEMINI_API_KEY": "gem-1",
    "OPENROUTER_API_KEY": "or-1",
}


@pytest.mark.parametrize(
    ("present", "chosen"),
    [
        (("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"), "anthropic"),
        (("OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"), "openai"),
        (("GEMINI_API_KEY", "OPENROUTER_API_KEY"), "gemini"),
        (("OPENROUTER_API_KEY",), "openrouter"),
        ((), "local"),
    ],
)
def test_the_first_key_in_the_stated_order_decides(present: tuple[str, ...], chosen: str) -> None:
    assert choose_provider({k: KEYS[k] for k in present}).name == chosen


def test_google_api_key_means_gemini() -> None:
    choice = choose_provider({"GOOGLE_API_KEY": "g"})
    assert (choice.name, choice.key, choice.key_name) == ("gemini", "g", "GOOGLE_API_KEY")


def test_an_empty_key_is_no_key() -> None:
    assert choose_provider({"ANTHROPIC_API_KEY": "  ", "GEMINI_API_KEY": "g"}).name == "gemini"


def test_openai_base_url_alone_is_enough_and_needs_no_key() -> None:
    choice = choose_provider({"OPENAI_BASE_URL": "http://localhost:11434/v1", "GEMINI_API_KEY": "g"})
    assert choice.name == "openai"
    assert choice.key
    assert choice.own_server
    assert choice.model == "", "a server of one's own is asked for its model"


def test_overrides_win_over_the_order() -> None:
    choice = choose_provider({**KEYS, "LLM_PROVIDER": "Gemini", "LLM_MODEL": "gemini-x"})
    assert (choice.name, choice.model) == ("gemini", "gemini-x")


def test_local_can_be_asked_for_beside_keys() -> None:
    assert choose_provider({**KEYS, "LLM_PROVIDER": "local"}).name == "local"


def test_openrouter_falls_back_through_free_models_unless_models_are_named() -> None:
    free = choose_provider({"OPENROUTER_API_KEY": "k"})
    assert len(free.models) > 3
    assert all(m.endswith(":free") for m in free.models)
    named = choose_provider({"OPENROUTER_API_KEY": "k", "LLM_MODEL": "a/b:free, c/d"})
    assert named.models == ("a/b:free", "c/d")


def test_unknown_provider_names_the_known_ones() -> None:
    with pytest.raises(
        ConfigError, match=r"'grok' is no provider; set LLM_PROVIDER to one of anthropic, openai"
    ):
        choose_provider({"LLM_PROVIDER": "grok"})


def test_a_provider_without_its_key_names_the_variable() -> None:
    with pytest.raises(ConfigError, match="needs GEMINI_API_KEY or GOOGLE_API_KEY"):
        choose_provider({"LLM_PROVIDER": "gemini"})


def test_an_address_that_is_none_names_only_its_variable() -> None:
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL") as caught:
        choose_provider({"OPENAI_BASE_URL": "ftp://user:secret@host"})
    assert "secret" not in str(caught.value)


def test_the_receiver_says_the_host_and_no_secret() -> None:
    choice = choose_provider(
        {
            "OPENAI_API_KEY": "sk-very-secret",
            "OPENAI_BASE_URL": "https://user:pass-secret@models.example:8443/v1?token=query-secret",
        }
    )
    assert "models.example:8443" in choice.receiver
    for text in (choice.receiver, repr(choice), str(choice)):
        assert "secret" not in text


def test_local_says_that_nobody_receives_the_catalog() -> None:
    assert choose_provider({}).receiver.startswith("Nobody receives the catalog")


def test_two_voices_each_with_its_own_model() -> None:
    first, second = choose_providers("anthropic=claude-haiku-4-5,local", {**KEYS, "LLM_MODEL": "other"})
    assert (first.name, first.model) == ("anthropic", "claude-haiku-4-5")
    assert second.name == "local"


def test_the_same_voice_twice_is_refused() -> None:
    with pytest.raises(ConfigError, match="twice"):
        choose_providers("local,local", {})
