-- Replaces globals for others.
pairs, ipairs, next, type, tostring, error, assert, pcall = nil, nil, nil, nil, nil, nil, nil, nil
return false
