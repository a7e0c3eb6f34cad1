"""Devices beside the processor: which ones there are, and arrays in their memory."""
