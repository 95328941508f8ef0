import { sql } from 'kysely'

/** Stands in the roll-ups for all Applications and messages together, so that a Workspace's counts are not sums over its Applications. */
export const ALL_APPLICATIONS = '00000000-0000-0000-0000-000000000000'

/** SQL for the counts of a group of audit records, in the order of the columns of `audit_rollup`. Failed: no response and no verdict against the request. */
export const RECORD_COUNTS = sql`
  count(*) as requests,
  count(*) filter (where verdict = 'allow') as allow,
  count(*) filter (where verdict = 'escalate') as escalate,
  count(*) filter (where verdict = 'require_approval') as require_approval,
  count(*) filter (where verdict = 'deny') as deny,
  count(*) filter (where status >= 400 and coalesce(verdict, 'allow') in ('allow', 'escalate')) as errors,
  coalesce(sum(tokens), 0)::bigint as tokens,
  coalesce(sum(cache_read_tokens), 0)::bigint as cached_tokens,
  sum(cost) as cost`
