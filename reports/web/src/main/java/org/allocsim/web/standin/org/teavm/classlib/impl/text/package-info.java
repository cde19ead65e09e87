/** How numbers become text and text becomes numbers, which the browser knows without tables. */
package org.allocsim.web.standin.org.teavm.classlib.impl.text;
