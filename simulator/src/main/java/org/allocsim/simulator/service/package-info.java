/** How what can be added to allocsim is found: policies, trace formats, programs. */
@NullMarked
package org.allocsim.simulator.service;

import org.jspecify.annotations.NullMarked;
