/** Free and taken ranges of addresses, in stores for few and for many of them. */
package org.allocsim.simulator.device.span;
