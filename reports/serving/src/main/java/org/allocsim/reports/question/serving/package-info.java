/** The question about servers of language models. */
@NullMarked
package org.allocsim.reports.question.serving;

import org.jspecify.annotations.NullMarked;
