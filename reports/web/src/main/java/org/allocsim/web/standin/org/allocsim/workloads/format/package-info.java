/** Takes the place of what looks into folders, which a page does not have. */
@NullMarked
package org.allocsim.web.standin.org.allocsim.workloads.format;

import org.jspecify.annotations.NullMarked;
