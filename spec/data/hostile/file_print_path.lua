-- Hopes that print opens a file by a name.
print("> hostile.txt")
return io ~= nil
