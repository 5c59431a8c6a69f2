-- Preloads a module for the next script.
package.preload.saltus = function() return {} end return true
