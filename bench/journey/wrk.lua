-- One step with a captured value and a checked one, as users of wrk write it: by patterns.
local id
function response(status, headers, body)
  if not body:find('"status": "open"', 1, true) then
    print("the order is not open")
  end
  id = body:match('"id": (%d+)')
end
