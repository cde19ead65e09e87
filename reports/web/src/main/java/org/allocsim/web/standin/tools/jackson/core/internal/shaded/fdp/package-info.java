/** Takes the place of classes that a browser's class library lacks, under their names. */
package org.allocsim.web.standin.tools.jackson.core.internal.shaded.fdp;
