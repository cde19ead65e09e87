"""A notebook that asks a recording, executed as a headless Jupyter does; skipped where Jupyter is not installed."""

from __future__ import annotations

import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from test_recording import MISSING, SAMPLE  # noqa: E402

try:
    import nbformat
    from nbclient import NotebookClient
except ImportError:
    MISSING = MISSING or "nbclient, which executes notebooks, is not installed"


@unittest.skipIf(MISSING, MISSING)
class NotebookTest(unittest.TestCase):
    def outputs(self, *cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        inherited = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = str(HERE.parent) + (os.pathsep + inherited if inherited else "")
        try:
            NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
        finally:
            if inherited is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = inherited
        return [cell.outputs[-1].data["text/html"] for cell in notebook.cells if cell.outputs]

    def test_answers_tables_and_the_page_show_themselves(self):
        answer, table, page = self.outputs(
            f"import allocsim; run = allocsim.open({str(SAMPLE)!r}); run.peak()",
            "run.tune().table('settings')",
            "run.view()",
        )
        self.assertIn("GiB", answer)
        self.assertIn("<table", table)
        self.assertTrue(page.startswith("<iframe srcdoc="), page[:80])


if __name__ == "__main__":
    unittest.main()
