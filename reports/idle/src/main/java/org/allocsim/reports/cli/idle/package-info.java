/** The command about the time of a GPU: {@code idle}. */
@NullMarked
package org.allocsim.reports.cli.idle;

import org.jspecify.annotations.NullMarked;
