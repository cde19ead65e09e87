/** Independent runs on all cores. */
package org.allocsim.analysis.task;
