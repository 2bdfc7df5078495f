"""Starts the worker: ``python -m rehearsal_adk``, or through the host's bootstrap."""

from rehearsal_adk.worker import main

if __name__ == "__main__":
    main()
