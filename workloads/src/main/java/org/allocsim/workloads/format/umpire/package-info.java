/** Umpire's replay files, in the current form and in the older one. */
package org.allocsim.workloads.format.umpire;
