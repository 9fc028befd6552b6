"""The published name of the compiler's generator, `act.generators.generate_backend`."""
from act.generators import generate_backend

__all__ = ["generate_backend"]
