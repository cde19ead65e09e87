/**
 * What users write to set PyTorch's caching allocator: the text of {@code PYTORCH_ALLOC_CONF}, read
 * as each release reads it, and the policy's options. What the settings do does not belong here. It
 * may use the allocator, whose settings it makes.
 */
@NullMarked
package org.allocsim.simulator.policy.pytorch.conf;

import org.jspecify.annotations.NullMarked;
