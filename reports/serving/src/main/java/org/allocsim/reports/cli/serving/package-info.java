/** The command about servers of language models: {@code serve}. */
@NullMarked
package org.allocsim.reports.cli.serving;

import org.jspecify.annotations.NullMarked;
