-- Removes a file by os.
return os.remove "hostile_canary.txt"
