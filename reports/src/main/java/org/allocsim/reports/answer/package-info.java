/** The answers to users' questions, a package for each subject, as documents. */
package org.allocsim.reports.answer;
