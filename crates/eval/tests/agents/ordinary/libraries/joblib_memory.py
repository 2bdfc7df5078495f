"""Keeps results in a folder, and works in threads."""

NEEDS = ["joblib"]

import tempfile

import joblib

MEMORY = joblib.Memory(tempfile.mkdtemp(), verbose=0)


@MEMORY.cache
def square(number):
    return number * number


def tool():
    work = (joblib.delayed(square)(number) for number in range(3))
    return joblib.Parallel(n_jobs=2, prefer="threads")(work), square(2), joblib.cpu_count()
