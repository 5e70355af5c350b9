-- What wrk sends: `-- GET 1`, or another method and depth; depth is how many requests leave in one write.
local dish = "/state/dishes/b10de400-0000-8000-8000-000000000001"
local batches, turn = {}, 0

local function one(method, quantity)
  if method == "GET" then return wrk.format("GET", dish) end
  -- Not curl's default form type: some peers would read it as a form.
  return wrk.format("PATCH", dish .. "/status/inStock/quantity", { ["Content-Type"] = "application/json" }, tostring(quantity))
end

function init(arguments)
  local method, depth = arguments[1], tonumber(arguments[2])
  wrk.headers["Host"] = wrk.host .. ":" .. wrk.port
  -- Made before the clock starts. Neighbours differ, so that every write changes something.
  for batch = 1, 64 do
    local requests = {}
    for place = 1, depth do requests[place] = one(method, (batch * depth + place) % 1000 + 1) end
    batches[batch] = table.concat(requests)
  end
end

function request()
  turn = turn % 64 + 1
  return batches[turn]
end
