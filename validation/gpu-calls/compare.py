"""Compares what PyTorch's allocator did on a GPU with what it did on the stand-in: compare.py GPU STANDIN

Prints a line for each sequence that differs, and the sums. Left out is what the driver alone knows: free memory and
the memory of other processes. The order of frees that complete together, and of segments that are given back together,
is that of hash maps over the handles of streams.
"""

import os
import re
import sys

DRIVERS_OWN = re.compile(r" of which .*? is free\.( (Process|Including).*? memory in use\.)*")
UNORDERED = ("e 2 ", "e 4 ", "e 6 ")


def lines_of(path):
    lines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("e 7 "):
                line = "e 7 0 " + line.split(" ", 3)[3]
            elif line.startswith("m "):
                line = DRIVERS_OWN.sub("", line)
            lines.append(line)
    start = 0
    while start < len(lines):
        end = start + 1
        if lines[start].startswith(UNORDERED):
            while end < len(lines) and lines[end][:4] == lines[start][:4]:
                end += 1
            lines[start:end] = sorted(lines[start:end])
        start = end
    return lines


def main():
    gpu, standin = sys.argv[1:]
    sequences = equal = compared = 0
    for name in sorted(os.listdir(gpu)):
        if not name.isdigit():
            continue
        sequences += 1
        was = lines_of(os.path.join(gpu, name))
        other = os.path.join(standin, name)
        did = lines_of(other) if os.path.exists(other) else []
        at = next((i for i, pair in enumerate(zip(was, did)) if pair[0] != pair[1]), min(len(was), len(did)))
        if at == len(was) == len(did):
            equal += 1
            compared += at
        else:
            texts = [each[at].strip() if at < len(each) else "nothing" for each in (was, did)]
            print("sequence %s, line %d: GPU %s, stand-in %s" % (name, at, *texts))
    print("%d sequences, %d equal with %d lines" % (sequences, equal, compared))


if __name__ == "__main__":
    main()
