/** Orders that containers of the C++ standard library give to what is in them. */
@NullMarked
package org.allocsim.analysis.serving.kvcache.stdlib;

import org.jspecify.annotations.NullMarked;
