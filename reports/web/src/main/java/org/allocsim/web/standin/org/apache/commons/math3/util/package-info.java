/** Takes the place of a class that needs much room, under its name. */
package org.allocsim.web.standin.org.apache.commons.math3.util;
