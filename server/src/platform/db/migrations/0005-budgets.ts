import { execute } from './execute.ts'

/** The calendar window of a time, in the time zone of the budget. `p_next`: the window after it. */
const WINDOW_START = `
create function budget_window_start(p_period text, p_zone text, p_at timestamptz, p_next integer)
returns timestamptz language sql stable as $function$
  select (date_trunc(p_period, p_at at time zone p_zone) + p_next * ('1 ' || p_period)::interval) at time zone p_zone
$function$`

/** Notes alerts once for each window and fraction. `p_reached`: what counts against the limit. */
const NOTE_ALERTS = `
create function budget_note_alerts(
  p_budget uuid, p_subject text, p_starts timestamptz, p_reached bigint, p_now timestamptz
) returns void language sql as $function$
  insert into budget_alert (workspace_id, budget_id, subject, starts_at, fraction, created_at)
  select b.workspace_id, b.id, p_subject, p_starts, f, p_now
  from budget b, unnest(b.alerts) f
  where b.id = p_budget and p_reached >= f * b.amount
  on conflict do nothing
$function$`

/**
 * Reserves at all budgets or at none, up to \`p_times\` times the amount of one request: a slice, from which the process admits further
 * requests. A slice holds at most a sixteenth of what is left of each budget, so that other processes are not refused because of it. The
 * rows are locked in the order of budgets and subjects, so that calls do not deadlock. Returns \`{ ok: true, entries, times, window_ms }\`
 * with the time until the first window ends, or the first budget that refuses, with its numbers. A refusal leaves no row behind. It notes
 * the alerts of the amount spent, and all alerts if less than a twentieth of the limit is left. After \`p_patience_ms\` the caller no longer
 * waits: then nothing is reserved.
 */
const RESERVE = `
create function budget_reserve(
  p_workspace uuid, p_id uuid, p_counts jsonb, p_usd bigint, p_tokens bigint, p_times integer,
  p_lease_seconds double precision, p_patience_ms double precision, p_now timestamptz
) returns jsonb language plpgsql as $function$
declare
  d record;
  w record;
  entries jsonb := '[]';
  added jsonb := '[]';
  moment timestamptz := coalesce(p_now, clock_timestamp());
  window_end timestamptz := 'infinity';
  -- Nodes calculate with numbers that are exact up to 2^53.
  times bigint := least(p_times, 9007199254740991 / greatest(p_usd, p_tokens, 1));
begin
  -- The row of a count is locked until the commit: four times as many reservations fit into a second when it does not wait for the disk. A
  -- crash of the database may lose the last second of them; their requests are charged with their records, and count as overruns.
  perform set_config('synchronous_commit', 'off', true);
  for d in
    select b.id, b.name, b.unit, b.amount, x.subject, case b.unit when 'usd' then p_usd else p_tokens end as asked,
      budget_window_start(b.period, b.time_zone, moment, 0) as starts,
      budget_window_start(b.period, b.time_zone, moment, 1) as ends
    from jsonb_to_recordset(p_counts) as x(budget uuid, subject text)
    join budget b on b.id = x.budget and b.workspace_id = p_workspace and b.enabled
    order by b.id, x.subject for key share of b
  loop
    insert into budget_window (budget_id, subject, starts_at, ends_at) values (d.id, d.subject, d.starts, d.ends)
    on conflict do nothing;
    if found then
      added := added || jsonb_build_object('budget', d.id, 'subject', d.subject, 'starts', d.starts);
    end if;
    select spent, reserved into w from budget_window
    where budget_id = d.id and subject = d.subject and starts_at = d.starts for update;
    if clock_timestamp() > statement_timestamp() + p_patience_ms * interval '1 millisecond' then
      raise exception 'the budgets were not checked in time';
    end if;
    if d.asked > 0 and w.spent + w.reserved + d.asked > d.amount then
      if w.spent > 0 then
        perform budget_note_alerts(d.id, d.subject, d.starts,
          case when w.spent >= 0.95 * d.amount then greatest(w.spent, d.amount) else w.spent end, moment);
      end if;
      delete from budget_window as target using jsonb_to_recordset(added) as a(budget uuid, subject text, starts timestamptz)
      where target.budget_id = a.budget and target.subject = a.subject and target.starts_at = a.starts;
      return jsonb_build_object('ok', false, 'budget', d.id, 'name', d.name, 'unit', d.unit, 'limit', d.amount,
        'spent', w.spent, 'reserved', w.reserved, 'asked', d.asked,
        'seconds', greatest(1, ceil(extract(epoch from d.ends - moment))));
    end if;
    if d.asked > 0 then
      times := least(times, (d.amount - w.spent - w.reserved) / 16 / d.asked);
    end if;
    window_end := least(window_end, d.ends);
    entries := entries || jsonb_build_object('budget', d.id, 'subject', d.subject, 'starts', d.starts, 'unit', d.unit);
  end loop;
  times := greatest(times, 1);
  update budget_window as target set reserved = target.reserved + times * case e.unit when 'usd' then p_usd else p_tokens end
  from jsonb_to_recordset(entries) as e(budget uuid, subject text, starts timestamptz, unit text)
  where target.budget_id = e.budget and target.subject = e.subject and target.starts_at = e.starts;
  insert into budget_reservation (id, workspace_id, entries, usd, tokens, expires_at)
  values (p_id, p_workspace, entries, times * p_usd, times * p_tokens, moment + p_lease_seconds * interval '1 second');
  return jsonb_build_object('ok', true, 'entries', entries, 'times', times,
    'window_ms', case when isfinite(window_end) then floor(extract(epoch from window_end - moment) * 1000) else 0 end);
end
$function$`

/**
 * Settles requests, in the transaction of their audit records. \`p_settlements\`: \`[{ id, usd, tokens, entries: [{ budget, subject, starts,
 * amount, spent }] }]\` with the amounts that the request asked for. They are taken out of the reservation, which ends when it holds nothing
 * more. A request of an expired reservation is charged too; it counts as an overrun. A settlement with nothing spent gives amounts back.
 */
const SETTLE = `
create function budget_settle(p_workspace uuid, p_settlements jsonb) returns void language plpgsql as $function$
declare
  r record;
  reached bigint;
  open uuid[];
begin
  -- Nodes that renew lock in the same order.
  perform from budget_reservation
  where workspace_id = p_workspace and id in (select (s ->> 'id')::uuid from jsonb_array_elements(p_settlements) s)
  order by id for update;
  with asked as (
    select s.id, sum(s.usd)::bigint as usd, sum(s.tokens)::bigint as tokens
    from jsonb_to_recordset(p_settlements) as s(id uuid, usd bigint, tokens bigint) group by 1
  ), ended as (
    delete from budget_reservation as held using asked
    where held.id = asked.id and held.workspace_id = p_workspace and held.usd <= asked.usd and held.tokens <= asked.tokens
    returning held.id
  ), reduced as (
    update budget_reservation as held set usd = held.usd - asked.usd, tokens = held.tokens - asked.tokens from asked
    where held.id = asked.id and held.workspace_id = p_workspace and (held.usd > asked.usd or held.tokens > asked.tokens)
    returning held.id
  )
  select coalesce(array_agg(id), '{}') into open from (table ended union all table reduced) as held;
  for r in
    select e.budget, e.subject, e.starts, sum(e.spent)::bigint as spent, sum(held.amount)::bigint as released,
      sum(greatest(e.spent - held.amount, 0))::bigint as overrun, count(*) filter (where e.spent > held.amount) as overruns
    from jsonb_array_elements(p_settlements) s,
      lateral (select (s ->> 'id')::uuid = any(open) as is_open) as state,
      jsonb_to_recordset(s -> 'entries') as e(budget uuid, subject text, starts timestamptz, amount bigint, spent bigint),
      lateral (select case when is_open then e.amount else 0 end as amount) as held
    where is_open or e.spent > 0
    group by 1, 2, 3 order by 1, 2, 3
  loop
    update budget_window as target
    set spent = target.spent + r.spent, reserved = target.reserved - r.released,
      overrun = target.overrun + r.overrun, overruns = target.overruns + r.overruns
    where target.budget_id = r.budget and target.subject = r.subject and target.starts_at = r.starts
    returning target.spent into reached;
    -- The row was created without waiting for the disk, and the database has crashed since.
    if not found then
      insert into budget_window (budget_id, subject, starts_at, ends_at, spent, overrun, overruns)
      select id, r.subject, r.starts, budget_window_start(period, time_zone, r.starts, 1), r.spent, r.spent, 1 from budget where id = r.budget
      on conflict (budget_id, subject, starts_at) do update set spent = budget_window.spent + excluded.spent,
        overrun = budget_window.overrun + excluded.overrun, overruns = budget_window.overruns + 1
      returning spent into reached;
    end if;
    if found then
      perform budget_note_alerts(r.budget, r.subject, r.starts, reached, clock_timestamp());
    end if;
  end loop;
end
$function$`

/** Releases up to \`p_most\` reservations whose node died, with what is left in them. Returns how many. */
const EXPIRE = `
create function budget_expire(p_now timestamptz, p_most integer) returns integer language plpgsql as $function$
declare
  r record;
  dead jsonb;
begin
  with gone as (
    delete from budget_reservation where id in (
      select id from budget_reservation where expires_at <= coalesce(p_now, clock_timestamp())
      order by expires_at limit p_most for update skip locked
    )
    returning entries, usd, tokens
  )
  select coalesce(jsonb_agg(to_jsonb(gone)), '[]') into dead from gone;
  for r in
    select e.budget, e.subject, e.starts, sum(case e.unit when 'usd' then d.usd else d.tokens end)::bigint as amount, count(*) as expired
    from jsonb_to_recordset(dead) as d(entries jsonb, usd bigint, tokens bigint),
      jsonb_to_recordset(d.entries) as e(budget uuid, subject text, starts timestamptz, unit text)
    group by 1, 2, 3 order by 1, 2, 3
  loop
    update budget_window as target set reserved = target.reserved - r.amount, expired = target.expired + r.expired
    where target.budget_id = r.budget and target.subject = r.subject and target.starts_at = r.starts;
  end loop;
  return jsonb_array_length(dead);
end
$function$`

/**
 * Budgets and their ledger (docs/decisions/0027-budgets.md). Amounts are billionths of a dollar or tokens, so that sums are exact. Each
 * window has one row, and a reset adds the next row.
 */
export const up = execute([
  `create table budget (
    id uuid primary key,
    workspace_id uuid not null references workspace on delete cascade,
    name text not null,
    scope text not null,
    claim text not null,
    member text,
    application_id uuid references application on delete cascade,
    unit text not null,
    amount bigint not null,
    period text not null,
    time_zone text not null,
    alerts double precision[] not null,
    unpriced text not null,
    enabled boolean not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    unique (workspace_id, name)
  )`,
  `create table budget_window (
    budget_id uuid not null references budget on delete cascade,
    subject text not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    spent bigint not null default 0,
    reserved bigint not null default 0,
    overrun bigint not null default 0,
    overruns integer not null default 0,
    expired integer not null default 0,
    primary key (budget_id, subject, starts_at)
  ) with (fillfactor = 50)`,
  // Without `spent`, which each charge changes: an update then stays in its page and touches no index.
  'create index budget_window_current on budget_window (budget_id, starts_at)',
  'create index budget_window_end on budget_window (ends_at)',
  `create table budget_reservation (
    id uuid primary key,
    workspace_id uuid not null,
    entries jsonb not null,
    usd bigint not null,
    tokens bigint not null,
    expires_at timestamptz not null
  )`,
  'create index budget_reservation_expiry on budget_reservation (expires_at)',
  `create table budget_alert (
    id uuid primary key default gen_random_uuid(),
    workspace_id uuid not null references workspace on delete cascade,
    budget_id uuid not null,
    subject text not null,
    starts_at timestamptz not null,
    fraction double precision not null,
    created_at timestamptz not null,
    emitted_at timestamptz,
    foreign key (budget_id, subject, starts_at) references budget_window on delete cascade,
    unique (budget_id, subject, starts_at, fraction)
  )`,
  'create index budget_alert_unsent on budget_alert (created_at) where emitted_at is null',
  WINDOW_START,
  NOTE_ALERTS,
  RESERVE,
  SETTLE,
  EXPIRE,
])
