/** The answer of {@code replay}: its text, its JSON and its pictures. */
package org.allocsim.reports.answer.replay;
