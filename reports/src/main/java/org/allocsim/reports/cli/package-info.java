/**
 * The command line: {@code Main}, and the list of commands. Each group of the program's help has a
 * package below this one, with a class for each command, which is options and one question, and
 * what only its commands use; so has each wing, in a module of its own. These packages may use all
 * others; none may use them.
 */
@NullMarked
package org.allocsim.reports.cli;

import org.jspecify.annotations.NullMarked;
