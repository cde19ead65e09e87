/** Questions about a real GPU, PyTorch's own allocator and the caches of servers. */
@NullMarked
package org.allocsim.reports.question.gpu;

import org.jspecify.annotations.NullMarked;
