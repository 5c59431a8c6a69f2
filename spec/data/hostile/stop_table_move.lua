-- Moves a range without end.
return table.move({}, 1, 1e15, 2)
