"""What users ask about a compiled function: reports, and its program at each stage."""
