/** Many policies on the same traces. */
package org.allocsim.reports.answer.compare;
