/** Questions about recordings themselves, and about traces that are made. */
@NullMarked
package org.allocsim.reports.question.recording;

import org.jspecify.annotations.NullMarked;
