-- A back reference that is compared from each place.
return ("a"):rep(100000):match "(.-)%1b"
