-- Does what a script of words says; see script.go. Lua has no sleep of its
-- own: pauses are slept by a child in the foreground.
function e(text)
  io.stdout:setvbuf("no")
  for w in text:gmatch("%S+") do
    local o, a = w:sub(1, 1), w:sub(2)
    if o == "l" then io.write("<" .. a .. ">\n")
    elseif o == "h" then io.write((a:gsub("..", function(x) return string.char(tonumber(x, 16)) end)))
    elseif o == "s" then os.execute("sleep " .. tonumber(a) / 1000)
    elseif o == "x" then local t = os.clock() + tonumber(a) / 1000; while os.clock() < t do end
    elseif o == "n" then for i = 1, tonumber(a) do io.write("<" .. i .. ">\n") end
    elseif o == "b" then
      local n, ms = a:match("(%d+)x(%d+)")
      for i = 1, tonumber(n) do io.write("<" .. i .. ">\n"); os.execute("sleep " .. tonumber(ms) / 1000) end
    end
  end
end
