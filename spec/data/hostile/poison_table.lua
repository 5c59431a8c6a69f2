-- Replaces functions of table for others.
table.concat, table.insert, table.sort, table.unpack = print, print, print, print
return false
