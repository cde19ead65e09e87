"""What looking at the variables of a program leaves behind: nothing."""

import sys
import unittest
import weakref

from allocsim.variables import variables_of


class Held:
    pass


class VariablesTest(unittest.TestCase):
    def test_what_the_program_drops_is_gone_after_a_look_at_its_variables(self):
        def program():
            batch = Held()
            dropped = weakref.ref(batch)
            self.assertIs(batch, variables_of(sys._getframe())["batch"])
            batch = None
            return dropped()

        self.assertIsNone(program())

    def test_a_program_keeps_what_it_has_of_locals(self):
        def program(size):
            options = locals()
            self.assertEqual(3, variables_of(sys._getframe())["size"])
            return options["size"]

        self.assertEqual(3, program(3))

    def test_variables_of_a_module_stay(self):
        text = "first = 1\nseen = variables_of(sys._getframe())\nsecond = first + 1\n"
        names = {"variables_of": variables_of, "sys": sys}
        exec(compile(text, "program.py", "exec"), names)
        self.assertEqual((2, 1), (names["second"], names["seen"]["first"]))
