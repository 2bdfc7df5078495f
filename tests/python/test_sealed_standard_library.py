"""What stands in for parts of the standard library where nothing may be written and no program may start."""

import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "python"


def run(code: str) -> str:
    """What a Python of its own prints, in which the standard library may be changed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(PACKAGE), "PATH": ""},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_libraries_are_found_without_a_program():
    names = ["c", "m", "z", "dl", "pthread", "nothing-of-this-name"]
    look = f"import ctypes.util\nprint([ctypes.util.find_library(name) for name in {names}])\n"
    install = "from rehearsal_adk.evaluation import shared_libraries\nshared_libraries.install()\n"
    no_program = "import subprocess\nsubprocess.Popen = None\n"
    assert run(no_program + install + look) == run(look)


def test_locks_count_as_those_of_the_system():
    use = """
import multiprocessing as mp, threading
def tried(call, *args):
    try:
        return call(*args)
    except (ValueError, AssertionError) as error:
        return str(error)
lock, again, two = mp.Lock(), mp.RLock(), mp.BoundedSemaphore(2)
print(lock.acquire(), lock.acquire(False), lock.acquire(True, 0.001), lock.release(), tried(lock.release))
print(again.acquire(), again.acquire(), again, again.release(), again.release(), tried(again.release))
print(two.acquire(), two, two.release(), two.get_value(), tried(two.release))
held = []
other = threading.Thread(target=lambda: held.append(lock.acquire()))
lock.acquire()
other.start()
lock.release()
other.join()
print(held, lock)
condition = mp.Condition()
with condition:
    print(condition.wait(0.001))
queue = mp.JoinableQueue()
queue.put(1)
print(queue.get(), queue.task_done(), queue.join())
"""
    install = "from rehearsal_adk.evaluation import semaphores\nsemaphores.install()\n"
    assert run(install + use) == run(use)


def test_forked_processes_share_locks_and_values_without_the_folder_of_the_system():
    assert run("""
import multiprocessing as mp, os, sys, tempfile
from concurrent.futures import ProcessPoolExecutor
from rehearsal_adk.evaluation import semaphores
semaphores.install()
named = []
sys.addaudithook(lambda event, args: named.append(args[0]) if event == "open" and "/dev/shm" in str(args[0]) else None)
forks = mp.get_context("fork")
def count(lock, value, queue):
    for _ in range(300):
        with lock:
            value.value += 1
    queue.put(os.getpid())
lock, value, queue = forks.Lock(), forks.Value("i", 0, lock=False), forks.Queue()
processes = [forks.Process(target=count, args=(lock, value, queue)) for _ in range(3)]
for process in processes:
    process.start()
print(len({queue.get() for _ in processes}), value.value)
for process in processes:
    process.join()
with forks.Pool(2) as pool:
    print(pool.map(abs, [-1, 2]))
with ProcessPoolExecutor(2, mp_context=forks) as pool:
    print(list(pool.map(abs, [-1, 2])))
print(named)
""") == "3 900\n[1, 2]\n[1, 2]\n[]\n"
