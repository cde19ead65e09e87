/** Scenarios of what users of allocators need, a class for each. */
package org.allocsim.reports.suite.need;
