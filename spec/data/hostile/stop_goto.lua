-- Jumps back for ever.
::again:: goto again
