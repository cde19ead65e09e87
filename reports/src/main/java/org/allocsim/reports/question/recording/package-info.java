/** Questions about recordings themselves. */
@NullMarked
package org.allocsim.reports.question.recording;

import org.jspecify.annotations.NullMarked;
