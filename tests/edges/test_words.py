import pytest

from atlas_assets.edges.words import is_plural, singular, split_words


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("list_beehives", ("list", "beehives")),
        ("list-beehives", ("list", "beehives")),
        ("listBeeHives", ("list", "bee", "hives")),
        ("ListBeeHives", ("list", "bee", "hives")),
        ("getHTTPKilnIDs", ("get", "http", "kiln", "ids")),
        ("kilnURL", ("kiln", "url")),
        ("kiln.v2/heat", ("kiln", "v2", "heat")),
        ("hiveid", ("hive", "id")),
        ("HIVEIDs", ("hive", "ids")),
        ("valid grid", ("valid", "grid")),
        ("OAuthKiln", ("oauth", "kiln")),
        ("улей_id", ("улей", "id")),
        ("", ()),
    ],
)
def test_names_of_every_style_fall_into_words(name, words):
    assert split_words(name) == words


@pytest.mark.parametrize(
    ("word", "single"),
    [
        ("beehives", "beehive"),
        ("ferries", "ferry"),
        ("indices", "index"),
        ("people", "person"),
        ("statuses", "status"),
        ("status", "status"),
        ("news", "news"),
        ("series", "series"),
        ("drives", "drive"),
        ("shelves", "shelf"),
        ("gas", "gas"),
        ("repos", "repository"),
    ],
)
def test_singulars_of_regular_irregular_and_uncountable_words(word, single):
    assert singular(word) == single


def test_a_plural_is_what_has_another_singular():
    assert is_plural("kilns")
    assert not is_plural("kiln")
    assert not is_plural("canvas")
