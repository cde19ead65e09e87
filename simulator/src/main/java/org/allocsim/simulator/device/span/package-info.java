/** Free and taken ranges of addresses, in stores for few and for many of them. */
@NullMarked
package org.allocsim.simulator.device.span;

import org.jspecify.annotations.NullMarked;
