"""Reads a table beside the agent, and computes with it."""

import pathlib

import pandas

TABLE = pandas.read_csv(pathlib.Path(__file__).parent / "data" / "table.csv")


def tool():
    frame = TABLE.groupby("city").agg({"rain": ["mean", "max"]})
    assert frame.to_csv() and TABLE.to_json(orient="records")
    return pandas.Timestamp("2026-01-01", tz="Europe/Berlin") + pandas.Timedelta(days=1)
