package org.allocsim.web.build;

import org.teavm.vm.spi.TeaVMHost;
import org.teavm.vm.spi.TeaVMPlugin;

/** What the compiler is told about this program. */
public final class BrowserPlugin implements TeaVMPlugin {
  /** A plugin; the compiler makes it. */
  public BrowserPlugin() {}

  @Override
  public void install(TeaVMHost host) {
    host.add(new MissingMethods());
  }
}
