-- Starts another program.
return os.execute "touch hostile.txt"
