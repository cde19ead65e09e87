/**
 * What is asked about programs, and who asks. A {@link org.allocsim.reports.question.Question}
 * opens its traces as programs, runs analyses and gives one answer; {@link
 * org.allocsim.reports.question.Asking} asks it for a command: of a file, of several, or of a job,
 * rank by rank. The page in the browser asks the same questions.
 */
@NullMarked
package org.allocsim.reports.question;

import org.jspecify.annotations.NullMarked;
