/** Commands that run a program, which the Python package answers. */
@NullMarked
package org.allocsim.reports.cli.run;

import org.jspecify.annotations.NullMarked;
