"""What a claim shows, and the checker that believes it or not."""

from mazurka.witness.check import objections
from mazurka.witness.witness import Witness

__all__ = ["Witness", "objections"]
