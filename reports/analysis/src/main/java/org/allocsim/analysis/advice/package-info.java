/**
 * Which changes of a program make it fit a GPU: what was tried so far, what is to be tried next,
 * and what a change costs.
 */
@NullMarked
package org.allocsim.analysis.advice;

import org.jspecify.annotations.NullMarked;
