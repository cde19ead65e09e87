/** What a command reads, and how it is replayed. Nothing here knows options. */
@NullMarked
package org.allocsim.reports.input;

import org.jspecify.annotations.NullMarked;
