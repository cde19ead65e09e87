/**
 * The engine of the page: what JavaScript calls, the questions, and the files that were given. The
 * questions answer under Node as the commands do; no test holds them to that yet.
 */
package org.allocsim.web;
