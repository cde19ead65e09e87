/** What the compiler to WebAssembly and JavaScript is told, and the files around its output. */
@NullMarked
package org.allocsim.web.build;

import org.jspecify.annotations.NullMarked;
