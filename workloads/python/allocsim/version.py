"""The version of this package, which is that of the program it brings."""

VERSION = "0.1.0.dev0"
