-- Looks for libraries in package.loaded.
return package ~= nil and package.loaded.io ~= nil
