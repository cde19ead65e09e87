/** Takes the place of a class that needs reflection, under its name. */
package org.allocsim.web.standin.org.allocsim.workloads.profile;
