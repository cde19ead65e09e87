/** Takes the place of what finds wings, which a page does not have. */
@NullMarked
package org.allocsim.web.standin.org.allocsim.reports.wing;

import org.jspecify.annotations.NullMarked;
