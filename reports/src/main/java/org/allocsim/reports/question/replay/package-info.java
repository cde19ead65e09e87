/** Questions that replay programs: with one allocator, with many, for a page, over their steps. */
@NullMarked
package org.allocsim.reports.question.replay;

import org.jspecify.annotations.NullMarked;
