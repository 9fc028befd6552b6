"""The other published spelling of `act.generators`."""
from act.generators import generate_backend, generate_oracle

__all__ = ["generate_backend", "generate_oracle"]
