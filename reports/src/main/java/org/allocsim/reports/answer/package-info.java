/**
 * The answers to users' questions, a package for each subject: its text, JSON and page together.
 * Answers know neither options nor commands.
 */
package org.allocsim.reports.answer;
