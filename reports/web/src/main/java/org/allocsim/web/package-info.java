/** The engine of the page: what JavaScript calls, the questions, and the files that were given. */
package org.allocsim.web;
