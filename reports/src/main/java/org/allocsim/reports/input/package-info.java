/** What a command reads, and how it is replayed. Nothing here knows options. */
package org.allocsim.reports.input;
