/**
 * The function of db/migrations/0004-limits.ts for Valkey: KEYS are the limits, ARGV are the batch, the age or an empty text, and the
 * requests as JSON. Returns a flat list of granted, used and free for each request; -1 as granted: the exchange came too late.
 * State: `{used, capacity, at, holders}`, packed, because JSON would round large numbers. It expires when it equals a new one.
 */
export const EXCHANGE_SCRIPT = `
local batch, age = tonumber(ARGV[1]), tonumber(ARGV[2])
local asks = cjson.decode(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local answers = {}

-- Ends leases. Returns the used shares, the amount that others hold, their entries, this lease's entry, and when all have ended.
local function read_holders(state, ask, level)
  local others, kept, own, idle = 0, {}, { batch = 0, spent = ask.base, ended = false }, now + ask.lease
  for name, holder in pairs(state.holders) do
    local entry = { batch = holder[1], spent = holder[2], held = holder[3], till = holder[4] }
    entry.ended = entry.till < now or entry.till > now + 60000
    if entry.ended then
      if ask.rate > 0 then
        level = level + entry.held
        entry.spent = entry.spent + entry.held
      end
      entry.held = 0
    end
    if name == ask.holder then
      own = entry
    elseif math.abs(entry.till - now) <= 60000 then
      others = others + entry.held
      kept[name] = { entry.batch, entry.spent, entry.held, entry.till }
      idle = math.max(idle, entry.till)
    end
  end
  return level, others, kept, own, idle
end

local function exchange(key, ask)
  local packed = redis.call('GET', key)
  local state = packed and cmsgpack.unpack(packed) or { used = 0, capacity = ask.capacity, at = now, holders = {} }
  if state.at > now + 5000 then state.at = now end
  local level = math.max(0, state.used - math.max(0, now - state.at) * ask.rate)
  if state.capacity ~= ask.capacity then level = math.min(level, ask.capacity) end
  local others, kept, own, idle
  level, others, kept, own, idle = read_holders(state, ask, level)
  if own.batch >= batch then return -1, 0, 0 end

  if ask.rate > 0 then
    local spent = ask.spent - own.spent
    if own.ended then spent = math.max(0, spent) end
    level = math.min(math.max(0, level + spent), ask.capacity + ask.rate * 60000)
    if ask.last > own.batch then level = math.max(level, ask.capacity) end
    if age then level = math.max(level, ask.capacity - age * ask.rate) end
    idle = math.max(idle, now + math.ceil(level / ask.rate))
  end

  local free, given = ask.capacity - level - others - ask.keep, 0
  if ask.need > 0 and free >= ask.first then given = math.min(ask.need, free) end
  if given == ask.need then given = given + math.max(0, math.min(ask.want, math.floor((free - given) / 4))) end
  if ask.rate == 0 and age and age < 1000 then given = 0 end
  kept[ask.holder] = { batch, ask.spent, ask.keep + given, now + ask.lease }
  local stored = { used = level, capacity = ask.capacity, at = math.max(state.at, now), holders = kept }
  redis.call('SET', key, cmsgpack.pack(stored), 'PX', idle - now + 120000)
  return given, level, free - given
end

for index, key in ipairs(KEYS) do
  for _, amount in ipairs({ exchange(key, asks[index]) }) do
    answers[#answers + 1] = string.format('%.0f', amount)
  end
end
return answers
`
