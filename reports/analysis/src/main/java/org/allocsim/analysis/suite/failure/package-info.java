/** Scenarios of failures that were reported in public, a class for each. */
package org.allocsim.analysis.suite.failure;
