"""The published name of `act.taidl`."""
from act.taidl import Accelerator, Constant, DataModel, Instruction, State

__all__ = ["Accelerator", "Constant", "DataModel", "Instruction", "State"]
