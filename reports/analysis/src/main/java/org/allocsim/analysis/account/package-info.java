/** The memory of a whole GPU: what a program's allocator holds beside what the driver reports. */
@NullMarked
package org.allocsim.analysis.account;

import org.jspecify.annotations.NullMarked;
