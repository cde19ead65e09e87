package org.allocsim.web;

/** The page in Chromium. */
class WebPageIT extends WebPageContract {
  @Override
  Visitor open() {
    return new ChromiumVisitor();
  }
}
