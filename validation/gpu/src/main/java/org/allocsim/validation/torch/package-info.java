/**
 * PyTorch itself as the truth: its own caching allocator serves the requests of any trace on a real
 * GPU or on a stand-in for one, and what it did is compared with the simulation, before and after
 * looking at the recording.
 */
@NullMarked
package org.allocsim.validation.torch;

import org.jspecify.annotations.NullMarked;
