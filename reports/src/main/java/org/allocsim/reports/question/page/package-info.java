/** Runs for pages, recorded during the question or in another replay. */
@NullMarked
package org.allocsim.reports.question.page;

import org.jspecify.annotations.NullMarked;
