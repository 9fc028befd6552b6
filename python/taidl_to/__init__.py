"""The published name of the simulator's generator, `act.generators.generate_oracle`."""
from act.generators import generate_oracle

__all__ = ["generate_oracle"]
