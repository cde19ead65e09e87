/**
 * What an allocator did, as calls to a listener with primitive arguments, and logs of such calls.
 * Policies report here; statistics, histories and checks listen. It uses no other package.
 */
@NullMarked
package org.allocsim.simulator.effect;

import org.jspecify.annotations.NullMarked;
