/** What a server's cache of keys and values makes of its memory. */
@NullMarked
package org.allocsim.reports.answer.serving;

import org.jspecify.annotations.NullMarked;
