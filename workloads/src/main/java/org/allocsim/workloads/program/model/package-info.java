/** Models of neural networks, layer by layer as their libraries build them. */
@NullMarked
package org.allocsim.workloads.program.model;

import org.jspecify.annotations.NullMarked;
