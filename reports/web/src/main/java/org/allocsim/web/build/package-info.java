/** What the compiler to WebAssembly and JavaScript is told, and the files around its output. */
package org.allocsim.web.build;
