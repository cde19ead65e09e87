"""Makes processes.sqlite and old.sqlite, with SQLite itself. Run in the folder of this file.

calls, expandable and cupy are exports of Nsight Systems 2025.3.1 from an H200, of which only the
tables of memory were kept: a C++ program with one call of each kind, PyTorch 2.11 with expandable
segments, and CuPy's pool.
"""

import sqlite3

NEW = "start INTEGER NOT NULL, globalPid INTEGER, deviceId INTEGER, contextId INTEGER, address INTEGER,"
NEW += " bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER, name TEXT, streamId INTEGER"
OLD = "start INTEGER NOT NULL, address INTEGER, bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER"


def make(name, columns, rows):
    base = sqlite3.connect(name)
    base.execute("PRAGMA page_size=512")
    base.execute(f"CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS ({columns})")
    base.executemany(
        f"INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES ({','.join('?' * len(rows[0]))})", rows
    )
    base.commit()
    base.close()


FIRST, SECOND = 1 << 48 | 4711 << 24, 1 << 48 | 4712 << 24
make(
    "processes.sqlite",
    NEW,
    [
        # Two processes on GPU 0, with one address; rows out of order; a free of what was there before.
        (300, FIRST, 0, 1, 4096, 100, 2, 1, None, None),
        (100, FIRST, 0, 1, 4096, 100, 2, 0, None, None),
        (200, SECOND, 0, 1, 4096, 200, 2, 0, None, 7),
        (250, SECOND, 0, 1, 8192, 50, 2, 1, None, None),
        (400, SECOND, 0, 1, 4096, 200, 2, 1, None, 9),
        (500, SECOND, 1, 1, 4096, 300, 3, 0, None, None),
    ],
)
make("old.sqlite", OLD, [(10, 4096, 100, 2, 0), (20, 4096, 100, 2, 1), (30, 4096, 64, 5, 0)])
