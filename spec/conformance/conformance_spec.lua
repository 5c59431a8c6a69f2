-- Every recorded case as a spec of its own. The runner (run.lua) prints the same with more detail.
local here = debug.getinfo(1, "S").source:match "^@(.*/)" or "./"
package.path = here .. "../?.lua;" .. package.path

local cases = require "conformance.cases"
local rulings = require "conformance.rulings"
local saltus = require "saltus"

local known = {}

for _, path in ipairs(cases.files(here .. "../data")) do
  describe("recorded in " .. path:match "([^/]+)%.json$", function()
    for _, made in ipairs(assert(cases.of(path))) do
      known[made.id] = made
      it(made.id .. " " .. made.title, function()
        local outcome, text, notes = cases.run(made, saltus)
        if outcome == "pending" then return pending(text) end
        assert.equal("ok", outcome, text)
        local pin = rulings.of(made.id, made.recorded)
        for _, number in ipairs(pin and pin.numbers or {}) do
          local applied = table.concat(notes.applied, " ")
          local found = (" " .. applied .. " "):find(" " .. number .. " ", 1, true)
          assert.truthy(found, "ruling " .. number .. " did not apply, but " .. applied)
        end
      end)
    end
  end)
end

describe("rulings.lua", function()
  it("lists each case with its number and check", function()
    for id, pin in pairs(rulings.table) do
      assert.is_number(pin[1][1], id)
      assert.is_function(pin[2], id)
      assert.is_table(rulings.of(id, known[id].recorded), id .. " is not the case that was meant")
    end
  end)
end)
