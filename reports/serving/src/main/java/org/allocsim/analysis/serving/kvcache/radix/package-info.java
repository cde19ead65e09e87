/** SGLang's cache of keys and values: pages of tokens, and a radix tree of what they hold. */
@NullMarked
package org.allocsim.analysis.serving.kvcache.radix;

import org.jspecify.annotations.NullMarked;
