/**
 * What each allocation of a program is for: parameters, gradients, saved activations and so on, and
 * how sure that is. What the memory is at a moment belongs to {@code moment}; printing does not
 * belong here.
 */
@NullMarked
package org.allocsim.analysis.attribution;

import org.jspecify.annotations.NullMarked;
