/**
 * A small reader of JSON in place of the library's, which serves more needs than a browser has and
 * takes a tenth of the engine. Its classes have the library's names and the methods that are
 * called.
 */
package org.allocsim.web.standin.tools.jackson.core;
