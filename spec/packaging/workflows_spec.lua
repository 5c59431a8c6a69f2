-- What runs elsewhere: the files of forges name what exists here.
local output_of = require("spec.support.examples").output_of
local slurp = require "spec.support.slurp"

local makefiles = slurp "Makefile" .. slurp "packaging/packaging.mk"

describe("the files of forges", function()
  for _, path in ipairs { ".github/workflows/ci.yml", ".gitlab-ci.yml", "Dockerfile" } do
    it("run targets and scripts that exist: " .. path, function()
      local count = 0
      for line in slurp(path):gmatch "[^\n]+" do
        local words = line:match "^%s*%- run: g?make (.+)" or line:match "^%s*%- make (.+)" or
          line:match "^RUN make (.+)"
        for target in (" " .. (words or "")):gmatch " (%l[%l-]+)%f[%s\0]" do
          assert.is_truthy(makefiles:find("\n" .. target:gsub("%-", "%%-") .. ":"), target)
          count = count + 1
        end
        for script in line:gmatch "%f[%w](packaging/[%w_.-]+)" do
          local file = assert(io.open(script), script)
          file:close()
        end
      end
      assert.is_true(count > 0)
    end)
  end

  if os.execute "command -v actionlint >/dev/null 2>&1" then
    it("have no error that actionlint finds", function()
      local text, ok = output_of "actionlint .github/workflows/*.yml"
      assert.is_true(ok, text)
    end)
  end
end)
