-- The requests that wrk sends. Arguments: METHOD DEPTH [COUNT], for example `-- GET 1`. DEPTH is the number of
-- pipelined requests in each write. With COUNT, each request goes to a random one of that many dishes.
local one_dish = "/state/dishes/b10de400-0000-8000-8000-000000000001"
local batches, last_index = {}, 0

local function format_request(method, dish, quantity)
  if method == "GET" then return wrk.format("GET", dish) end
  -- With the default media type of a body, some servers would parse it as a form.
  local fields = { ["Content-Type"] = "application/json" }
  return wrk.format("PATCH", dish .. "/status/inStock/quantity", fields, tostring(quantity))
end

function init(arguments)
  local method, depth, count = arguments[1], tonumber(arguments[2]), tonumber(arguments[3])
  wrk.headers["Host"] = wrk.host .. ":" .. wrk.port
  -- Formatted before the measurement starts. Consecutive writes and the two writes of each dish have different values,
  -- so that every write is a change.
  local half, dishes = 32, {}
  if count then
    half = 4096
    math.randomseed(1)
    -- The ids of the first four dishes, which are in the initial state, do not follow this pattern.
    for batch = 1, half do
      dishes[batch] = string.format("/state/dishes/%08x-0000-8000-8000-000000000000", math.random(4, count - 1))
    end
  end
  for batch = 1, 2 * half do
    local requests = {}
    for position = 1, depth do
      local dish = dishes[(batch - 1) % half + 1] or one_dish
      requests[position] = format_request(method, dish, (batch * depth + position) % 1000 + 1)
    end
    batches[batch] = table.concat(requests)
  end
end

function request()
  last_index = last_index % #batches + 1
  return batches[last_index]
end
