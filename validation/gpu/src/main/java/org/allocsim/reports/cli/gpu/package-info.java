/** Commands that use a real GPU or PyTorch itself: {@code validate} and {@code calibrate}. */
@NullMarked
package org.allocsim.reports.cli.gpu;

import org.jspecify.annotations.NullMarked;
