/** Answers about jobs: what commands say of many ranks, folded from what they say of each. */
@NullMarked
package org.allocsim.reports.answer.job;

import org.jspecify.annotations.NullMarked;
