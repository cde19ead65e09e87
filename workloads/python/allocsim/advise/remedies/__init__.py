"""The remedies of this package, a file each."""
