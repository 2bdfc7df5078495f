"""Makes temporary files and folders, at import too."""

import os
import shutil
import tempfile

CACHE = tempfile.mkdtemp(prefix="ordinary-")
with open(os.path.join(CACHE, "at_import.txt"), "w") as file:
    file.write("kept")


def tool():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "below", "file.txt")
        os.makedirs(os.path.dirname(path))
        with open(path, "w") as file:
            file.write("text")
        shutil.copytree(folder, os.path.join(folder, "copy"))
        os.replace(path, path + ".old")
        os.chmod(path + ".old", 0o600)
        os.utime(path + ".old")
        shutil.copy2(path + ".old", path)
    with tempfile.NamedTemporaryFile("w+") as file:
        file.write("x")
    with tempfile.TemporaryFile() as file:
        file.write(b"x")
    with tempfile.SpooledTemporaryFile(max_size=1) as file:
        file.write(b"xxx")
    with open(os.path.join(CACHE, "in_case.txt"), "w") as file:
        file.write("kept")
    return sorted(os.listdir(CACHE))


callback = tool
