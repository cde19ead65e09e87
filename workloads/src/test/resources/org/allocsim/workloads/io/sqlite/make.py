"""Makes the databases beside it, with SQLite itself, and the values that they hold.

Run in the folder of this file. What it makes depends on nothing but the release of SQLite.
"""

import csv
import random
import sqlite3

LETTERS = "abcdefghijklmnopqrstuvwxyz äöü€𝄞"


def odd(name, page_bytes):
    """Rows of every kind: integers of all lengths, texts over several pages, rows that were deleted."""
    draw = random.Random(7)
    base = sqlite3.connect(f"{name}.sqlite")
    base.execute(f"PRAGMA page_size={page_bytes}")
    base.execute("CREATE TABLE first(a, b)")
    base.execute(
        'CREATE TABLE "Odd rows" (  -- a comment, with (brackets)\n'
        ' id INTEGER PRIMARY KEY, "number, signed" INT /* and one more */ NOT NULL DEFAULT (1 + 2),'
        " [a text] TEXT CHECK ([a text] <> ')'), real REAL, UNIQUE (id, real), CHECK (real <> 2.5))"
    )
    base.execute("CREATE INDEX of_numbers ON \"Odd rows\"(\"number, signed\")")
    for _ in range(700):
        bits = draw.randrange(64)
        number = draw.choice((0, 1, -1, -(2**63), 2**63 - 1, draw.getrandbits(bits), -draw.getrandbits(bits)))
        text = draw.choice(
            (None, "", "x", "".join(draw.choice(LETTERS) for _ in range(draw.choice((3, 40, 500, 3000)))))
        )
        base.execute(
            'INSERT INTO "Odd rows" VALUES (?, ?, ?, ?)',
            (draw.choice((None, draw.getrandbits(40))), number, text, draw.choice((None, draw.random()))),
        )
    for (row,) in base.execute('SELECT id FROM "Odd rows"').fetchall():
        if draw.random() < 0.3:
            base.execute('DELETE FROM "Odd rows" WHERE id = ?', (row,))
    base.execute('ALTER TABLE "Odd rows" ADD COLUMN later INTEGER')
    base.execute('INSERT INTO "Odd rows" VALUES (NULL, 5, ?, 0, 77)', ("last",))
    base.commit()
    with open(f"{name}.csv", "w", newline="", encoding="utf-8") as out:
        rows = csv.writer(out, lineterminator="\n")
        for row in base.execute('SELECT id, "number, signed", [a text], later FROM "Odd rows" ORDER BY id'):
            rows.writerow(["null" if value is None else value for value in row])
    base.close()


odd("small_pages", 512)
odd("large_pages", 65536)
