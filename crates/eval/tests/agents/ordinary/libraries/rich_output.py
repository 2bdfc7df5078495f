"""Prints tables and progress."""

from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.traceback import install

install()
CONSOLE = Console()


def callback():
    table = Table("city", "rain")
    table.add_row("Rome", "3")
    CONSOLE.print(table)
    return sum(track(range(3)))
