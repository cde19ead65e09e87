/**
 * The memory of one program at one moment: where its peaks and its first failure are, what is live
 * then and where it comes from, where slack lies, and which blocks keep a request from fitting.
 */
@NullMarked
package org.allocsim.analysis.moment;

import org.jspecify.annotations.NullMarked;
