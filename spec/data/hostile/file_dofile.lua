-- Runs a file.
return dofile "hostile_canary.txt"
