/**
 * The engine of the page: what JavaScript calls, the questions, and the files that were given. The
 * questions answer under Node as the commands do, to which WebAnswersIT holds them.
 */
@NullMarked
package org.allocsim.web;

import org.jspecify.annotations.NullMarked;
