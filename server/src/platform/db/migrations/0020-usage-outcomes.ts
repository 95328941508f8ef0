import { execute } from './execute.ts'

/** As OUTCOMES (shared/request-outcome.ts). */
const OUTCOMES = ['allowed', 'redacted', 'escalated', 'held', 'denied', 'refused', 'failed', 'canceled']

/** Requests by outcome. 0 where an earlier version has counted them. */
export const up = execute(
  ['audit_usage', 'audit_usage_user', 'audit_usage_value'].map(
    (table) => `alter table ${table} ${OUTCOMES.map((name) => `add column ${name} bigint not null default 0`).join(', ')}`,
  ),
)
