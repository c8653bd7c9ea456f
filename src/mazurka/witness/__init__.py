"""What a claim shows, and the checker that believes it or not."""

from mazurka.witness.check import contradictions, objections
from mazurka.witness.witness import Fails, Races, Stuck, Waiting, Witness

__all__ = ["Fails", "Races", "Stuck", "Waiting", "Witness", "contradictions", "objections"]
