/** What the compared cases come to together, with intervals of confidence. */
@NullMarked
package org.allocsim.validation.gpu.summary;

import org.jspecify.annotations.NullMarked;
