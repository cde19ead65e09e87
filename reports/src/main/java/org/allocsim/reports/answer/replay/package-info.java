/** The answer of {@code replay}: its text, its JSON and its pictures. */
@NullMarked
package org.allocsim.reports.answer.replay;

import org.jspecify.annotations.NullMarked;
