/** Which settings, and how large a device, a program needs. */
@NullMarked
package org.allocsim.reports.answer.tuning;

import org.jspecify.annotations.NullMarked;
