/**
 * The engine of the page: what JavaScript calls, the questions, and the files that were given. The
 * questions answer under Node as the commands do; no test holds them to that yet.
 */
@NullMarked
package org.allocsim.web;

import org.jspecify.annotations.NullMarked;
