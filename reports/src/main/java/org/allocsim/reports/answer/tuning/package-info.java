/** Which settings, and how large a device, a program needs. */
package org.allocsim.reports.answer.tuning;
