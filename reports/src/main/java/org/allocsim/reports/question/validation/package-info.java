/** Questions about this machine's speed. */
@NullMarked
package org.allocsim.reports.question.validation;

import org.jspecify.annotations.NullMarked;
