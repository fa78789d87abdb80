"""Einstein sums: subscripts, the order of contraction, and the products that result."""
