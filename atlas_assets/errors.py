"""The errors a person may meet, as one tree.

    AtlasError
    ├── ConfigError      a servers file, a variable or an option that cannot be used
    ├── ScanError        one server that could not be listed
    ├── CatalogError     a recorded catalog that cannot be read
    ├── ProviderError    a model provider that cannot be used, or did not answer
    ├── StorageError     stored data that is missing, damaged or cannot be written
    └── GraphError       a question about the graph that it cannot answer

A message is one line: what failed, on which name, and what to do next. It never carries a secret.
The command line prints it after `atlas: ` and exits with 1; nothing prints a traceback.
"""


class AtlasError(Exception):
    """Something a person can put right; `str()` is the one line that says how."""


class ConfigError(AtlasError):
    """A servers file, an environment variable or an option that cannot be used."""


class ScanError(AtlasError):
    """One server that could not be listed."""


class CatalogError(AtlasError):
    """A recorded catalog that cannot be read."""


class ProviderError(AtlasError):
    """A model provider that cannot be used, or did not answer."""


class StorageError(AtlasError):
    """Stored data that is missing, damaged, or cannot be written."""


class GraphError(AtlasError):
    """A question about the graph that it cannot answer."""
