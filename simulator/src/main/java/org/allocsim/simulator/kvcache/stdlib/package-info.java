/** Orders that containers of the C++ standard library give to what is in them. */
@NullMarked
package org.allocsim.simulator.kvcache.stdlib;

import org.jspecify.annotations.NullMarked;
