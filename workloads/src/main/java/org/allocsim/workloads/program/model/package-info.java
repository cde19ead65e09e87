/** Models of neural networks, layer by layer as their libraries build them. */
package org.allocsim.workloads.program.model;
