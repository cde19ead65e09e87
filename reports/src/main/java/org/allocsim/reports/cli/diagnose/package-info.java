/** Commands that say why a run failed, or where its memory is. */
@NullMarked
package org.allocsim.reports.cli.diagnose;

import org.jspecify.annotations.NullMarked;
