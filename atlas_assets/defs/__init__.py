"""Dagster: assets, partitions, checks, schedules and sensors, thin over plain code."""

import warnings

import dagster as dg

# `backfill_policy` and some of the automation are "beta" and "preview"; a person who runs the
# commands can do nothing about it.
warnings.filterwarnings("ignore", category=dg.BetaWarning)
warnings.filterwarnings("ignore", category=dg.PreviewWarning)
