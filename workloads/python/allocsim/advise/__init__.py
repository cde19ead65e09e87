"""Which change of a PyTorch program makes it fit a GPU, tried without one.

:class:`Remedy` is what a change is; ``allocsim advise`` tries those that there are.
"""

from .remedy import Facts as Facts, Lines as Lines, Remedy as Remedy
