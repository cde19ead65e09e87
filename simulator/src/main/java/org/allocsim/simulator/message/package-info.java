/** What real allocators say where they fail, word for word. */
package org.allocsim.simulator.message;
