"""Writes `src/rouge/classes.rs`: the classes of characters, by Python's own tables.

Run with the Python whose Unicode is meant, 3.11 for Unicode 14, from the crate's folder:
`python tables/classes.py > src/rouge/classes.rs`.
"""

import sys
import unicodedata


def class_of(code):
    category = unicodedata.category(chr(code))
    if category.startswith("M"):
        return 2
    if category[0] in "LN":
        return 1
    if category == "Cn":
        return 3
    return 0


def main():
    runs = []
    for code in range(sys.maxunicode + 1):
        kind = class_of(code)
        if not runs or runs[-1][1] != kind:
            runs.append((code, kind))
    print("//! The classes of characters that the tokens depend on, as Unicode")
    print(f"//! {unicodedata.unidata_version} has them: written by `tables/classes.py`.")
    print()
    print("/// Where a run of characters of one class begins, shifted left by two, and the class: 0 for")
    print("/// separators, 1 for letters and numbers, 2 for marks, 3 for what is not assigned.")
    print("#[rustfmt::skip]")
    print(f"pub(super) static RUNS: [u32; {len(runs)}] = [")
    line = "   "
    for code, kind in runs:
        entry = f" 0x{code << 2 | kind:x},"
        if len(line) + len(entry) > 98:
            print(line)
            line = "   "
        line += entry
    print(line)
    print("];")


main()
