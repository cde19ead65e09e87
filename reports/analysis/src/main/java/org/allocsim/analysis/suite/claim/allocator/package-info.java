/** Claims about allocators, their settings and their figures, a class for each. */
package org.allocsim.analysis.suite.claim.allocator;
