/**
 * Scenarios that try what guides, articles and answers claim about GPU memory, a class for each.
 */
package org.allocsim.analysis.suite.claim;
