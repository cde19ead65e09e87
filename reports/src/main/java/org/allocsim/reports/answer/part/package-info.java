/** What several answers have in common. */
@NullMarked
package org.allocsim.reports.answer.part;

import org.jspecify.annotations.NullMarked;
