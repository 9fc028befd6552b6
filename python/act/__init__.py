"""ACT: accelerator compiler toolkit. Specs in `act.taidl`, generation in `act.generators`."""
