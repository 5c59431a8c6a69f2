-- Adds a searcher.
table.insert(package.searchers, function() return function() return true end end) return require "anything"
