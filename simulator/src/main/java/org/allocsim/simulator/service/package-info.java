/** How what can be added to allocsim is found: policies, trace formats, programs. */
package org.allocsim.simulator.service;
