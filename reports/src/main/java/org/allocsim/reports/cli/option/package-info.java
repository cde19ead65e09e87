/** Options that several commands share, and what turns their text into values. */
@NullMarked
package org.allocsim.reports.cli.option;

import org.jspecify.annotations.NullMarked;
