/** Takes the place of classes that a browser does better, under their names. */
package org.allocsim.web.standin.org.allocsim.workloads.io;
