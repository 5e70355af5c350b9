-- What wrk sends: `-- GET 1`, or another method and depth; depth is how many requests leave in one write. A third number
-- has each go to any of so many dishes.
local one_dish = "/state/dishes/b10de400-0000-8000-8000-000000000001"
local batches, turn = {}, 0

local function one(method, dish, quantity)
  if method == "GET" then return wrk.format("GET", dish) end
  -- Not curl's default form type: some peers would read it as a form.
  return wrk.format("PATCH", dish .. "/status/inStock/quantity", { ["Content-Type"] = "application/json" }, tostring(quantity))
end

function init(arguments)
  local method, depth, among = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
  wrk.headers["Host"] = wrk.host .. ":" .. wrk.port
  -- Made before the clock starts. Neighbours differ, and so do the two writes of a dish, so that each changes something.
  local half, dishes = 32, {}
  if among then
    half = 4096
    math.randomseed(1)
    -- The first four have ids of their own.
    for batch = 1, half do
      dishes[batch] = string.format("/state/dishes/%08x-0000-8000-8000-000000000000", math.random(4, among - 1))
    end
  end
  for batch = 1, 2 * half do
    local requests = {}
    for place = 1, depth do
      requests[place] = one(method, dishes[(batch - 1) % half + 1] or one_dish, (batch * depth + place) % 1000 + 1)
    end
    batches[batch] = table.concat(requests)
  end
end

function request()
  turn = turn % #batches + 1
  return batches[turn]
end
