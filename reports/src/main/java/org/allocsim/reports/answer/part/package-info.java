/** What several answers have in common. */
package org.allocsim.reports.answer.part;
