/**
 * JSON as text, and the schemas that it follows. It knows the names of documents, not what is in
 * them.
 */
@NullMarked
package org.allocsim.reports.json;

import org.jspecify.annotations.NullMarked;
