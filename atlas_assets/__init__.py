"""MCP Atlas: which MCP tools must run before which, parameter by parameter.

Dagster is one room at the front (`atlas_assets.defs`); everything that thinks is plain Python
behind it (`catalog`, `edges`, `graph`, `storage`, `serve`) and never imports dagster.
"""

__version__ = "0.1.0"
