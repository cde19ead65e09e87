/**
 * Policies, trace formats and programs from jars that are not part of allocsim. {@link
 * org.allocsim.reports.plugin.PluginLoader} checks a folder of jars and becomes the context class
 * loader, in which {@link org.allocsim.simulator.policy.Policies}, {@link
 * org.allocsim.workloads.format.TraceFormats} and {@link org.allocsim.workloads.program.Programs}
 * look for their services.
 */
@NullMarked
package org.allocsim.reports.plugin;

import org.jspecify.annotations.NullMarked;
