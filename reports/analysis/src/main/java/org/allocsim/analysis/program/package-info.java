/**
 * A program under conditions: the only way from a trace to a run. {@link
 * org.allocsim.analysis.program.Conditions} are what somebody asks for, {@link
 * org.allocsim.analysis.program.Program} is what they come to for a trace (release, settings,
 * limit, GPU, requests), {@link org.allocsim.analysis.program.Trial} is one run of it, with
 * recorded answers of the device where they hold.
 */
@NullMarked
package org.allocsim.analysis.program;

import org.jspecify.annotations.NullMarked;
