/**
 * The command line: commands with their options, what they print, and the one place where failures
 * become sentences. Rules of allocators and analyses do not belong here; this package may use all
 * others.
 */
package org.allocsim.reports.cli;
