/**
 * The library in a few calls, for Java programs and JShell: {@link org.allocsim.analysis.Analysis}
 * opens a program and explains logs, {@link org.allocsim.analysis.TracedProgram} answers questions
 * about it, {@link org.allocsim.analysis.AnalysisException} says what went wrong. The answers are
 * those of the packages below, which do the work and know nothing of this one; a question that
 * needs more than a few calls is asked there. Nothing here prints.
 */
@NullMarked
package org.allocsim.analysis;

import org.jspecify.annotations.NullMarked;
