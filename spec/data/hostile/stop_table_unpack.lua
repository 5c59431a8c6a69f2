-- Unpacks a long range.
return table.unpack({}, 1, 1e7)
