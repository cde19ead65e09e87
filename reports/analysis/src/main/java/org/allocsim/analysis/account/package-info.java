/** The memory of a whole GPU: what a program's allocator holds beside what the driver reports. */
package org.allocsim.analysis.account;
