/** What pages show of runs that questions are about, recorded while they go on or once more. */
@NullMarked
package org.allocsim.reports.question.page;

import org.jspecify.annotations.NullMarked;
