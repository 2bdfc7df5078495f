"""Watches the agent's folder for changes."""

NEEDS = ["watchdog"]

import pathlib

from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer


def callback():
    observer = Observer()
    observer.schedule(FileSystemEventHandler(), str(pathlib.Path(__file__).parent))
    observer.start()
    observer.stop()
    observer.join()
