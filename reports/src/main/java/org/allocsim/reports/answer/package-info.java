/**
 * The answers to users' questions, a package for each subject: its text, JSON and page together.
 * Answers know neither options nor commands.
 */
@NullMarked
package org.allocsim.reports.answer;

import org.jspecify.annotations.NullMarked;
