-- Orders of each thing what is missing of 10, three things an order at most, each order signed.

local function missing()
  local lines = {}
  for _, item in ipairs(json.decode(vars.stock)) do
    if item.count < 10 then
      table.insert(lines, { sku = item.sku, quantity = 10 - item.count })
    end
  end
  return lines
end

local function send(lines)
  vars.order = json.encode(lines)
  vars.signature = crypto.hmac_sha256(vars.signing_key, vars.order)
  play("order")
  while vars.status == "409" do -- somebody else was quicker: once more, a little later
    pause(math.random() / 2)
    play("order")
  end
end

play("stock")
local order = {}
for _, line in ipairs(missing()) do
  table.insert(order, line)
  if #order == 3 then
    send(order)
    order = {}
  end
end
if #order > 0 then
  send(order)
end
print("stock was " .. vars.stock)
