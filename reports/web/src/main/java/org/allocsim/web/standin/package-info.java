/**
 * What is done instead of calls that a browser's class library lacks. Packages below hold whole
 * classes, under the names of those that they replace.
 */
@NullMarked
package org.allocsim.web.standin;

import org.jspecify.annotations.NullMarked;
