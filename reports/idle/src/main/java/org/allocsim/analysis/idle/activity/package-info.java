/** What the host, the GPU and its memory do over time, in columns that a chart can draw. */
@NullMarked
package org.allocsim.analysis.idle.activity;

import org.jspecify.annotations.NullMarked;
