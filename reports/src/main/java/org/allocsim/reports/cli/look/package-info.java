/** Commands that show what is in a file, and what the program knows. */
@NullMarked
package org.allocsim.reports.cli.look;

import org.jspecify.annotations.NullMarked;
