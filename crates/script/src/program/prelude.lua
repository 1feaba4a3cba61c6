-- The environment that scripts see. It gets the functions of the host, and returns two functions:
-- one makes the environment of a script, the other makes a script that can be played repeatedly.
local native = ...
local yield = coroutine.yield
local setmetatable, error, tostring, select = setmetatable, error, tostring, select
local pcall, xpcall, rawget, type = pcall, xpcall, rawget, type

-- Ends code that has run for too long, even if it catches errors.
local function caught(ok, ...)
  if not ok and native.is_too_long() then
    error((...), 0)
  end
  return ok, ...
end

-- A table that scripts can read but not change.
local function fixed(name, fields)
  return setmetatable({}, {
    __index = fields,
    __newindex = function(_, key)
      error(name .. "." .. tostring(key) .. " cannot be set", 2)
    end,
    __metatable = false,
  })
end

local maths = {}
for name, value in pairs(math) do
  maths[name] = value
end
maths.random = native.random
maths.randomseed = nil

local strings = {}
for name, value in pairs(string) do
  strings[name] = value
end
strings.dump = nil
local of_strings = getmetatable("")
of_strings.__index = strings
of_strings.__metatable = false

local common = {
  assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs,
  select = select, tonumber = tonumber, tostring = tostring, type = type,
  rawequal = rawequal, rawlen = rawlen, rawget = rawget,
  math = fixed("math", maths),
  string = fixed("string", strings),
  table = fixed("table", table),
  utf8 = fixed("utf8", utf8),
  json = fixed("json", native.json),
  crypto = fixed("crypto", native.crypto),
  now = native.now,

  pcall = function(...) return caught(pcall(...)) end,
  xpcall = function(...) return caught(xpcall(...)) end,

  setmetatable = function(object, meta)
    if type(meta) == "table" and rawget(meta, "__gc") ~= nil then
      error("__gc is not there: it could run while another user plays", 2)
    end
    return setmetatable(object, meta)
  end,

  pause = function(seconds) return yield(3, seconds) end,
  fail = function(sentence) return yield(4, sentence) end,

  print = function(...)
    local words = {}
    for place = 1, select("#", ...) do
      words[place] = tostring((select(place, ...)))
    end
    native.print(table.concat(words, "\t"))
  end,
}

-- The environment of a script: its steps and variables, each as a table from names to the host's
-- indices.
local function world(steps, variables)
  local own = {}
  for name, value in pairs(common) do
    own[name] = value
  end
  own.play = function(step)
    return yield(1, steps[step] or native.unknown_step(step))
  end
  own.attempt = function(step)
    return yield(2, steps[step] or native.unknown_step(step))
  end
  own.vars = setmetatable({}, {
    __index = function(_, name)
      return native.get(variables[name] or native.unknown_variable(name))
    end,
    __newindex = function(_, name, value)
      native.set(variables[name] or native.unknown_variable(name), value)
    end,
    __metatable = false,
  })
  return setmetatable({}, {
    __index = own,
    __newindex = function(_, name)
      error("\"" .. tostring(name) .. "\" is not declared; write: local " .. tostring(name), 2)
    end,
    __metatable = false,
  })
end

-- Playing a script again in the same coroutine costs less than a new coroutine each time.
local function again(script)
  return function()
    while true do
      script()
      yield(0)
    end
  end
end

return world, again
