/**
 * SQLite databases, read only: rows of tables in the order of the file, as sqlite.org describes its
 * format (version 3). Nothing is written, indexes are not looked at, and damage is an exception.
 *
 * <p>Libraries for SQLite carry its C code for every platform and unpack it when they start, or
 * hold the whole database in memory. Walking the pages of one table needs neither.
 */
@NullMarked
package org.allocsim.workloads.io.sqlite;

import org.jspecify.annotations.NullMarked;
