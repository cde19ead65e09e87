/** Commands that make traces from traces, or from a description. */
@NullMarked
package org.allocsim.reports.cli.convert;

import org.jspecify.annotations.NullMarked;
