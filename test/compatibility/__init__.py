"""What becomes of each public function of NumPy: cases, a judge, the table in docs/coverage.md."""
