import { oneOf, textOf } from '../../routing/location.ts'

export const VERDICTS = ['allow', 'escalate', 'require_approval', 'deny'] as const
export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const
export const ENDPOINTS = [
  'chat',
  'embeddings',
  'models',
  'knowledge_search',
  'memory_search',
  'memory_capture',
  'stored_responses',
  'audit',
  'message',
  'admin',
] as const

/** Filters in the page's URL. */
export const readFilters = (search: Readonly<Record<string, unknown>>) => ({
  application: textOf(search.application),
  user: textOf(search.user),
  verdict: oneOf(VERDICTS, search.verdict),
  risk: oneOf(RISK_LEVELS, search.risk),
  endpoint: oneOf(ENDPOINTS, search.endpoint),
  status: textOf(search.status),
  from: textOf(search.from),
  to: textOf(search.to),
})

export type AuditFilters = ReturnType<typeof readFilters>

const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const

/** A status or status class; undefined if the text is neither. */
const statusOf = (text: string) => (/^[1-5]\d\d$/.test(text) ? Number(text) : oneOf(STATUS_CLASSES, text.toLowerCase()))

export const isStatusInvalid = ({ status }: Pick<AuditFilters, 'status'>): boolean =>
  status !== undefined && statusOf(status) === undefined

/** Query of the API. Local times are converted to UTC. */
export function queryOf({ application, user, verdict, risk, endpoint, status: statusText, from, to }: AuditFilters) {
  const status = statusText === undefined ? undefined : statusOf(statusText)
  return {
    ...(application && { application_id: application }),
    ...(user && { user }),
    ...(verdict && { verdict }),
    ...(risk && { risk_level: risk }),
    ...(endpoint && { endpoint }),
    ...(status !== undefined && { status }),
    ...timesOf({ from, to }),
  }
}

export function timesOf({ from, to }: Pick<AuditFilters, 'from' | 'to'>): { from?: string; to?: string } {
  const start = instantOf(from)
  const end = instantOf(to)
  return { ...(start && { from: start }), ...(end && { to: end }) }
}

/** A local time (`2026-11-21T09:30`) in UTC; undefined if invalid. */
function instantOf(local: string | undefined): string | undefined {
  const time = local ? new Date(local) : undefined
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : undefined
}
