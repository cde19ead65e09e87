/** The command about public failures and claims: {@code suite}. */
@NullMarked
package org.allocsim.reports.cli.suite;

import org.jspecify.annotations.NullMarked;
