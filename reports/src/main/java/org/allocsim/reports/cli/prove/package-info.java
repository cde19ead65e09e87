/** Commands that test whether results hold. */
@NullMarked
package org.allocsim.reports.cli.prove;

import org.jspecify.annotations.NullMarked;
