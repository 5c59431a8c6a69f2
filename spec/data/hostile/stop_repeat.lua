-- Repeats for ever.
repeat until false
