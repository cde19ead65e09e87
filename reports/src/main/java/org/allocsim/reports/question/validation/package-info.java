/** Questions about a real GPU, PyTorch's own allocator and this machine's speed. */
@NullMarked
package org.allocsim.reports.question.validation;

import org.jspecify.annotations.NullMarked;
