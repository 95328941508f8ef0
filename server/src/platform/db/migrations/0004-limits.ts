import { execute } from './execute.ts'

/**
 * Books what a node has spent and leases it more, for several limits. No limit exceeds its capacity: used shares, which drain, and held
 * ones, which do not, are counted together. A lease that has ended counts as spent (slots: as free). A node whose last exchange is unknown
 * has met a database without its newest transactions, for example after a failover: the limit then counts as used up. `age`:
 * milliseconds since the limits were counted elsewhere; at age 0 they count as used up.
 */
export const EXCHANGE = `
create function exchange_quota(batch bigint, age bigint, requests jsonb) returns jsonb language plpgsql as $$
declare
  ask record;
  holder record;
  state quota%rowtype;
  answers jsonb := '[]';
  now_ms bigint;
  passed numeric;
  level numeric;
  highest numeric;
  others bigint;
  others_held jsonb;
  own_batch bigint;
  own_spent bigint;
  own_ended boolean;
  held bigint;
  spent bigint;
  ended boolean;
  idle bigint;
  free numeric;
  given numeric;
begin
  -- After a crash the database may lack the last second. The exchange that follows shows it.
  perform set_config('synchronous_commit', 'off', true);
  for ask in
    select * from jsonb_to_recordset(requests) as asked(key text, holder text, rate bigint, capacity bigint, lease bigint, last bigint,
      spent bigint, base bigint, keep bigint, need bigint, first bigint, want bigint)
    order by asked.key
  loop
    -- The job that removes idle limits may take the row away between the two statements.
    loop
      select * into state from quota where quota.key = ask.key for update;
      exit when found;
      insert into quota values (ask.key, 0, ask.capacity, 0, 0, '{}') on conflict do nothing;
    end loop;
    now_ms := floor(extract(epoch from clock_timestamp()) * 1000);
    -- A time in the future was written before the clock was set back.
    if state.at > now_ms + 5000 then state.at := now_ms; end if;
    passed := greatest(0, now_ms - state.at);
    level := greatest(0, state.used - passed * ask.rate);
    if state.capacity <> ask.capacity then level := least(level, ask.capacity); end if;

    others := 0;
    others_held := '{}';
    own_batch := 0;
    own_spent := ask.base;
    own_ended := false;
    idle := now_ms + ask.lease;
    for holder in
      select h.key as name, (h.value ->> 0)::bigint as batch, (h.value ->> 1)::bigint as spent, (h.value ->> 2)::bigint as held,
        (h.value ->> 3)::bigint as until
      from jsonb_each(state.holders) as h
    loop
      held := holder.held;
      spent := holder.spent;
      ended := holder.until < now_ms or holder.until > now_ms + 60000;
      if ended then
        if ask.rate > 0 then
          level := level + held;
          spent := spent + held;
        end if;
        held := 0;
      end if;
      if holder.name = ask.holder then
        own_batch := holder.batch;
        own_spent := spent;
        own_ended := ended;
      elsif holder.until between now_ms - 60000 and now_ms + 60000 then
        others := others + held;
        others_held := others_held || jsonb_build_object(holder.name, jsonb_build_array(holder.batch, spent, held, holder.until));
        idle := greatest(idle, holder.until);
      end if;
    end loop;
    continue when own_batch >= batch;

    if ask.rate > 0 then
      -- Of an ended lease the unspent part is not refunded: it may have drained.
      level := greatest(0, level + case when own_ended then greatest(0, ask.spent - own_spent) else ask.spent - own_spent end);
      -- One request owes at most the units of a minute.
      highest := ask.capacity + ask.rate * 60000;
      level := least(level, highest);
      if ask.last > own_batch then level := greatest(level, ask.capacity); end if;
      if age is not null then level := greatest(level, ask.capacity - age::numeric * ask.rate); end if;
      idle := greatest(idle, now_ms + ceil(level / ask.rate));
    end if;

    free := ask.capacity - level - others - ask.keep;
    given := case when ask.need > 0 and free >= ask.first then least(ask.need, free) else 0 end;
    if given = ask.need then given := given + greatest(0, least(ask.want, floor((free - given) / 4))); end if;
    -- Other nodes may not have reported their running requests yet.
    if ask.rate = 0 and age < 1000 then given := 0; end if;
    update quota set
      used = level,
      capacity = ask.capacity,
      at = greatest(state.at, now_ms),
      idle_at = idle,
      holders = others_held || jsonb_build_object(ask.holder, jsonb_build_array(batch, ask.spent, ask.keep + given, now_ms + ask.lease))
    where quota.key = ask.key;
    answers := answers || jsonb_build_object('holder', ask.holder, 'granted', given, 'used', level, 'free', free - given);
  end loop;
  return answers;
end $$
`

/** Limits that all nodes share. */
export const up = execute([
  // The state of limits that all nodes share (docs/decisions/0026-shared-limits.md). used: shares that drain at the rate, as of `at`
  // (milliseconds of the database's clock). holders: by lease `[batch, spent, held, until]`. idle_at: from then on the row equals a new one.
  // Half of each page is free, so that an update stays in its page and touches no index.
  `create table quota (
    key text primary key,
    used bigint not null,
    capacity bigint not null,
    at bigint not null,
    idle_at bigint not null,
    holders jsonb not null
  ) with (fillfactor = 50)`,
  EXCHANGE,
])
