/** Several processes on one GPU: who fails first, who holds the memory, what they need together. */
@NullMarked
package org.allocsim.reports.answer.colocate;

import org.jspecify.annotations.NullMarked;
