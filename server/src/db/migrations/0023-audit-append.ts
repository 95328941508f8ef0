import type { Kysely } from 'kysely'
import { sql } from 'kysely'

/**
 * Chains audit records in one statement, so that no node holds the lock on a chain's end across a round trip
 * (docs/decisions/0007-audit.md). Nothing is written unless `outcome` is `appended`:
 * - `no chain`: the Workspace has no row in audit_head
 * - `moved`: the chain does not contain the record that the caller anchors the group behind, or it is before `anchored_from`
 * - `stored`: `p_look` is set and at least one record is in the log already
 *
 * `hashes`: the hash of the record before the group, then those of the group, 32 bytes each. `removed`: number of pending rows that were
 * deleted.
 */
const AUDIT_APPEND = `
create function audit_append(
  p_workspace uuid, p_anchor_sequence bigint, p_anchor_hash bytea, p_look boolean, p_pending uuid[], p_settlements jsonb,
  p_ids uuid[], p_applications uuid[], p_times timestamptz[], p_endpoints text[], p_verdicts text[], p_risks text[],
  p_statuses integer[], p_users text[], p_durations double precision[], p_tokens integer[], p_costs double precision[],
  p_cached integer[], p_before text[], p_after text[], p_seals bytea[],
  out outcome text, out first_sequence bigint, out hashes bytea, out removed integer
) language plpgsql as $function$
declare
  last_sequence bigint;
  last_hash bytea;
  known_hash bytea;
  first_anchor bigint;
  size integer := cardinality(p_ids);
begin
  select head.sequence, head.hash, head.anchored_from into last_sequence, last_hash, first_anchor
  from audit_head as head where head.workspace_id = p_workspace for no key update;
  if last_sequence is null then
    outcome := 'no chain';
    return;
  end if;
  if last_sequence = p_anchor_sequence then
    known_hash := last_hash;
  else
    select record.hash into known_hash
    from audit_record as record where record.workspace_id = p_workspace and record.sequence = p_anchor_sequence;
  end if;
  if last_sequence < p_anchor_sequence or p_anchor_sequence < first_anchor or known_hash is distinct from p_anchor_hash then
    outcome := 'moved';
    return;
  end if;
  if p_look and exists (select from audit_record as record where record.id = any(p_ids)) then
    outcome := 'stored';
    return;
  end if;
  hashes := last_hash;
  for i in 1..size loop
    last_hash := sha256(convert_to(
      p_before[i] || encode(last_hash, 'hex') || '","sequence":' || (last_sequence + i) || p_after[i], 'UTF8'));
    hashes := hashes || last_hash;
  end loop;
  insert into audit_record
    (workspace_id, id, application_id, created_at, endpoint, verdict, risk_level, status, user_hash, duration_ms, tokens, cost,
      cache_read_tokens, seal, sequence, body, prev_hash, hash)
  select p_workspace, added.id, added.application, added.created, added.endpoint, added.verdict, added.risk, added.status, added.caller,
    added.duration, added.tokens, added.cost, added.cached, added.seal, last_sequence + added.i,
    added.before || encode(substring(hashes, added.i * 32 - 31, 32), 'hex')
      || '","sequence":' || (last_sequence + added.i) || added.after,
    substring(hashes, added.i * 32 - 31, 32), substring(hashes, added.i * 32 + 1, 32)
  from rows from (
    unnest(p_ids, p_applications, p_times, p_endpoints, p_verdicts, p_risks, p_statuses, p_users, p_durations, p_tokens, p_costs,
      p_cached, p_seals, p_before, p_after),
    generate_series(1, size)
  ) as added(id, application, created, endpoint, verdict, risk, status, caller, duration, tokens, cost, cached, seal, before, after, i);
  update audit_head as head set sequence = last_sequence + size, hash = last_hash where head.workspace_id = p_workspace;
  if p_pending is not null then
    delete from audit_pending as pending where pending.id = any(p_pending);
    get diagnostics removed = row_count;
  end if;
  if p_settlements is not null then
    perform budget_settle(p_workspace, p_settlements);
  end if;
  first_sequence := last_sequence + 1;
  outcome := 'appended';
end
$function$`

/** A node of the last release does not know the seals of groups. It may run for this long after the migration. */
const UPGRADE_HOURS = 24

/** Pending records are short-lived rows: about 2 KB, kept uncompressed in the row like those of audit_record, and vacuumed soon. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    `create table audit_pending (
      id uuid primary key,
      workspace_id uuid not null,
      before_integrity text not null,
      after_integrity text not null,
      seal bytea not null,
      created_at timestamptz not null default clock_timestamp()
    ) with (toast_tuple_target = 8160, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000)`,
    'create index audit_pending_age on audit_pending (created_at)',
    // The migration of the budgets replaces it.
    `create function budget_settle(p_workspace uuid, p_settlements jsonb) returns void language plpgsql as
      $function$ begin return; end $function$`,
    'alter table audit_head add column anchored_from bigint not null default 0',
    AUDIT_APPEND,
    'create table upgrade_step (name text primary key, starts_at timestamptz not null)',
    `insert into upgrade_step (name, starts_at)
      select 'audit groups', now() + case when exists (select from workspace) then interval '${UPGRADE_HOURS} hours' else interval '0' end`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
