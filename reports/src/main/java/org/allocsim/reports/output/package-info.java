/**
 * What leaves the program: files that appear whole or not at all, folders of charts, progress,
 * failures and exit codes.
 */
@NullMarked
package org.allocsim.reports.output;

import org.jspecify.annotations.NullMarked;
