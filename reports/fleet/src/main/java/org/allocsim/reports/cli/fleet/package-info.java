/** The commands about many traces: {@code sweep} and {@code fleet-report}. */
@NullMarked
package org.allocsim.reports.cli.fleet;

import org.jspecify.annotations.NullMarked;
