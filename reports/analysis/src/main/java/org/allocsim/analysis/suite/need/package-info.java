/** Scenarios of what users of allocators need, a class for each. */
package org.allocsim.analysis.suite.need;
