/** Claims about programs and what they do with memory, a class for each. */
package org.allocsim.analysis.suite.claim.program;
