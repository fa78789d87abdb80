"""Computing distributed values: recipes for each kind of operation, and their plan.

A graph on a runtime is cut into steps. What is element-wise or movement between two cuts is one
`expression.Expression`; folds, scans, products and sorts have recipes of their own.
"""
