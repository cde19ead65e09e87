/** Claims about programs and what they do with memory, a class for each. */
@NullMarked
package org.allocsim.analysis.suite.claim.program;

import org.jspecify.annotations.NullMarked;
