-- Repeats nothing very often.
return ("").rep("", 1e15) == ""
