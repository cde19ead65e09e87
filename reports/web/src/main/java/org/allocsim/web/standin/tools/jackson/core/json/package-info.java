/** How a reader of JSON is made, under the library's names. */
package org.allocsim.web.standin.tools.jackson.core.json;
