import type { RowOf } from '../../../platform/db/from-row.ts'
import type { Verdict } from '../../../shared/decision.ts'
import { outcomeOf, type RequestOutcome } from '../../../shared/request-outcome.ts'
import type { PlacedRecord } from '../chain/chain.ts'
import type { AuditDraft } from '../record/record.ts'
import { NO_APPLICATION } from './usage-sums.ts'

const MOST_TOKENS = 2 ** 31 - 1

export interface CountedRecord {
  readonly sequence: number
  readonly at: number
  readonly endpoint: AuditDraft['endpoint']
  readonly status: number
  readonly verdict: Verdict | ''
  readonly outcome: RequestOutcome | undefined
  readonly applicationId: string
  /** Empty texts: the record has none. */
  readonly keyId: string
  readonly userHash: string
  readonly durationMs: number
  /** Count for a record without attempts. */
  readonly tokens: number
  readonly cachedTokens: number
  readonly cost: number | null
  readonly attempts: readonly CountedAttempt[]
}

/** Of a stored body, which may have been altered: no field is certain. */
export type CountedAttempt = Partial<AuditDraft['attempts'][number]> | null

const countedOf = ({ sequence, prepared: { draft, applicationUuid } }: PlacedRecord): CountedRecord => ({
  sequence,
  at: Date.parse(draft.created_at),
  endpoint: draft.endpoint,
  status: draft.status,
  verdict: draft.decision?.verdict ?? '',
  outcome: outcomeOf(draft),
  applicationId: applicationUuid ?? NO_APPLICATION,
  keyId: draft.key_id ?? '',
  userHash: draft.user.id ?? '',
  durationMs: draft.duration_ms,
  tokens: 0,
  cachedTokens: 0,
  cost: null,
  attempts: draft.attempts,
})

export const COUNTED_COLUMNS = [
  'sequence',
  'created_at',
  'endpoint',
  'status',
  'verdict',
  'application_id',
  'user_hash',
  'duration_ms',
  'tokens',
  'cache_read_tokens',
  'cost',
  'body',
] as const

/** A body that is not JSON counts with its columns. */
export function countedOfRow(row: Pick<RowOf<'audit_record'>, (typeof COUNTED_COLUMNS)[number]>): CountedRecord {
  const { key_id, attempts, ...facts } = parseFacts(row.body)
  return {
    sequence: row.sequence,
    // PostgreSQL's `infinity` is not a Date.
    at: row.created_at instanceof Date ? row.created_at.getTime() : Number.NaN,
    endpoint: row.endpoint,
    status: row.status,
    verdict: row.verdict ?? '',
    outcome: storedOutcome(row, facts),
    applicationId: row.application_id ?? NO_APPLICATION,
    keyId: textOf(key_id),
    userHash: row.user_hash ?? '',
    durationMs: numberOf(row.duration_ms),
    tokens: row.tokens,
    cachedTokens: row.cache_read_tokens ?? 0,
    cost: row.cost === null ? null : numberOf(row.cost),
    attempts: Array.isArray(attempts) ? attempts : [],
  }
}

interface StoredFacts {
  readonly error_code?: unknown
  readonly decision?: unknown
  readonly review?: unknown
}

const storedOutcome = (
  { status, verdict }: Pick<RowOf<'audit_record'>, 'status' | 'verdict'>,
  { error_code: code, decision, review }: StoredFacts,
): RequestOutcome | undefined =>
  outcomeOf({
    status,
    error_code: textOf(code),
    decision: verdict && { ...(decision as object | undefined), verdict },
    review: review as { state?: string } | undefined,
  })

function parseFacts(body: string): StoredFacts & { readonly key_id?: unknown; readonly attempts?: unknown } {
  try {
    return (JSON.parse(body) as object | null) ?? {}
  } catch {
    return {}
  }
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : ''

/** The columns of a record hold as many tokens at most. */
export const tokensOf = (value: unknown): number => Math.min(Math.round(numberOf(value)), MOST_TOKENS)

export const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0)

/** About 6 MB. The other records are read from the log when they are counted. */
const MOST_RECENT = 20_000

export type RecordsBySequence = ReadonlyMap<number, CountedRecord>

/** Keeps, of each record that this process has appended, what is counted, so that the job does not read it from the log. */
export class RecentRecords {
  readonly #most: number
  #byWorkspace = new Map<string, CountedRecord[]>()
  #size = 0

  constructor(most: number = MOST_RECENT) {
    this.#most = most
  }

  add(placed: readonly PlacedRecord[]): void {
    for (const record of placed.slice(0, Math.max(this.#most - this.#size, 0))) {
      const { workspace_id: workspaceId } = record.prepared.draft
      const known = this.#byWorkspace.get(workspaceId)
      if (known) known.push(countedOf(record))
      else this.#byWorkspace.set(workspaceId, [countedOf(record)])
      this.#size += 1
    }
  }

  /** Returns the records by Workspace and forgets them: after an attack and an operator's resumption a sequence may have another record. */
  take(): ReadonlyMap<string, RecordsBySequence> {
    const taken = this.#byWorkspace
    this.#byWorkspace = new Map()
    this.#size = 0
    return new Map([...taken].map(([id, records]) => [id, new Map(records.map((record) => [record.sequence, record]))]))
  }
}
