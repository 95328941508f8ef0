import type { KeyedHasher } from '../../domains/audit/record/hashes.ts'
import type { AuditRecord } from '../../domains/audit/record/record.ts'
import type { RecordFilter } from '../../domains/audit/record-filter.ts'
import { searchRecords } from '../../domains/audit/search-records.ts'
import { findApplication } from '../../domains/identity/application-store.ts'
import { type CompiledPolicy, compile } from '../../domains/policy/compile.ts'
import type { Pause } from '../../domains/policy/evaluation-limiter.ts'
import { parsePolicySet } from '../../domains/policy/parse.ts'
import { findPolicySet } from '../../domains/policy/policy-store.ts'
import { HASHED_NAMES } from '../../domains/policy/replay/hashed-names.ts'
import { type ReplayedDecision, Replayer, type UndecidedRule } from '../../domains/policy/replay/replayer.ts'
import { losesTransforms } from '../../domains/policy/transforms.ts'
import type { Db } from '../../platform/db/database.ts'
import type { PolicyPoint, Verdict } from '../../shared/decision.ts'
import { GOVERNED_ENDPOINTS, readStoredRequest } from './read-stored-request.ts'

export const REPLAY_LIMITS = {
  refused_before_policies: 'The request ended before policies were evaluated.',
  repeated_answer: 'A released completion was sent again. The first record of the release has the decision.',
  policy_gone: 'The policy version of the record can no longer be read.',
  reads_text: 'The rule reads a text. Records contain no texts.',
  reads_hashed: 'The rule does more than compare a value of which the record contains only a keyed hash.',
  reads_settings: 'The rule reads the settings of the Application, which have changed since the record.',
  reads_unstored: 'The rule reads a value that the record does not contain.',
  hits_not_stored: 'The rule decides on single passages or memories. Records do not contain them.',
  not_reached: 'The request ended before this point.',
} as const
export type ReplayLimit = keyof typeof REPLAY_LIMITS

export interface LimitCount {
  readonly reason: ReplayLimit
  /** null: the record as a whole. */
  readonly rule: string | null
  readonly point: PolicyPoint | null
  readonly fact: string | null
  count: number
}

export interface ChangedDecision {
  readonly record: AuditRecord
  readonly before: ReplayedDecision
  readonly after: ReplayedDecision
  readonly uncertain: readonly UndecidedRule[]
  /** A text that passes may contain more than before. */
  readonly transformsLost: boolean
}

export type Replay = Tally['replay']

const PAGE = 200
/** Pages of a rare filter may be short (search-records.ts): after these, a replay ends with the records that it has found. */
const MAX_SHORT_PAGES = 100
const CHANGES_SHOWN = 500

export async function replay(
  db: Db,
  workspaceId: string,
  {
    draft,
    last,
    filter,
    hasher,
    pause,
  }: { draft: CompiledPolicy; last: number; filter: Omit<RecordFilter, 'limit'>; hasher: KeyedHasher; pause: Pause },
): Promise<Replay> {
  const replayer = new Replayer(draft)
  const tally = new Tally()
  const lookups = new RecordLookups(db, workspaceId, hasher, replayer)
  let { below } = filter
  for (let left = last, pages = last / PAGE + MAX_SHORT_PAGES; left > 0 && pages > 0; pages--) {
    const page = await searchRecords(db, workspaceId, {
      endpoints: GOVERNED_ENDPOINTS,
      ...filter,
      ...(below !== undefined && { below }),
      limit: Math.min(PAGE, left),
    })
    for (const record of page.data) {
      await pause()
      tally.add(record, await replayRecord(record, replayer, lookups))
    }
    left -= page.data.length
    below = page.end
    tally.replay.end = page.end
    if (!page.hasMore) break
  }
  return tally.replay
}

async function replayRecord(record: AuditRecord, replayer: Replayer, lookups: RecordLookups) {
  const request = readStoredRequest(record, { textOf: lookups.textOf, settings: await lookups.settingsOf(record) })
  if (typeof request === 'string') return request
  const [version] = record.policy_versions
  const decided = version && (await lookups.policy(version.id))
  return version && !decided ? 'policy_gone' : replayer.replay(request, decided)
}

function hashKindOf(name: string): 'user' | 'session' | 'model' {
  if (name === 'user.id' || name === 'message.sender') return 'user'
  return name === 'request.session_id' ? 'session' : 'model'
}

class RecordLookups {
  readonly #db: Db
  readonly #workspaceId: string
  readonly #texts = new Map<string, string>()
  readonly #policies = new Map<string, Promise<CompiledPolicy | undefined>>()
  readonly #applications = new Map<string, ReturnType<typeof findApplication>>()

  constructor(db: Db, workspaceId: string, hasher: KeyedHasher, { compared }: Replayer) {
    this.#db = db
    this.#workspaceId = workspaceId
    for (const { name, text } of compared) {
      const kind = hashKindOf(name)
      const hash = kind === 'user' ? hasher.user(text) : hasher.text(kind, text)
      this.#texts.set(`${name} ${hash}`, text)
    }
  }

  readonly textOf = (name: string, hash: string): string | undefined => this.#texts.get(`${name} ${hash}`)

  policy(id: string): Promise<CompiledPolicy | undefined> {
    const known = this.#policies.get(id) ?? this.#readPolicy(id)
    this.#policies.set(id, known)
    return known
  }

  async #readPolicy(id: string): Promise<CompiledPolicy | undefined> {
    const stored = await findPolicySet(this.#db, this.#workspaceId, id)
    const parsed = stored && parsePolicySet(stored.source)
    return stored && parsed?.ok ? compile(parsed.set, stored) : undefined
  }

  /** The settings at the time of the record; undefined if the Application has changed since. */
  async settingsOf({ application_id: id, created_at, duration_ms }: AuditRecord) {
    if (id === null) return undefined
    const known = this.#applications.get(id) ?? findApplication(this.#db, this.#workspaceId, id)
    this.#applications.set(id, known)
    const application = await known
    const began = Date.parse(created_at) - duration_ms
    return application && application.updatedAt.getTime() < began ? application.settings : undefined
  }
}

class Tally {
  readonly replay = {
    records: 0,
    unchanged: 0,
    changed: 0,
    notReplayed: 0,
    transitions: new Map<string, { from: Verdict; to: Verdict; transformsLost: boolean; count: number }>(),
    changes: [] as ChangedDecision[],
    limits: new Map<string, LimitCount>(),
    newest: undefined as Date | undefined,
    oldest: undefined as Date | undefined,
    /** Sequence of the record behind which the next part begins; undefined: there are no more records. */
    end: undefined as number | undefined,
  }

  add(record: AuditRecord, decided: Awaited<ReturnType<typeof replayRecord>>): void {
    const { replay } = this
    const time = new Date(record.created_at)
    replay.records += 1
    replay.newest ??= time
    replay.oldest = time
    if (typeof decided === 'string') {
      replay.notReplayed += 1
      this.#limit({ reason: decided, rule: null, point: null, fact: null })
      return
    }
    const { kind, before, after, unknown } = decided
    for (const undecided of unknown)
      this.#limit({ ...limitOf(undecided), rule: undecided.rule, point: undecided.point, fact: undecided.missing ?? null })
    if (kind === 'unchanged') replay.unchanged += 1
    else if (kind === 'unknown') replay.notReplayed += 1
    else {
      replay.changed += 1
      const transformsLost = after.verdict !== 'deny' && losesTransforms(before.transforms, after.transforms)
      const transition = { from: before.verdict, to: after.verdict, transformsLost }
      count(replay.transitions, Object.values(transition).join(' '), transition)
      if (replay.changes.length < CHANGES_SHOWN)
        replay.changes.push({ record, before, after, uncertain: unknown, transformsLost })
    }
  }

  #limit(limit: Omit<LimitCount, 'count'>): void {
    count(this.replay.limits, JSON.stringify(limit), limit)
  }
}

function count<T extends object>(counts: Map<string, T & { count: number }>, key: string, counted: T): void {
  const known = counts.get(key)
  if (known) known.count += 1
  else counts.set(key, { ...counted, count: 1 })
}

function limitOf({ missing, unreached }: UndecidedRule): { reason: ReplayLimit } {
  if (unreached) return { reason: 'not_reached' }
  if (missing === undefined) return { reason: 'hits_not_stored' }
  if (missing === 'content.text') return { reason: 'reads_text' }
  if (missing === 'application.settings') return { reason: 'reads_settings' }
  return { reason: HASHED_NAMES.has(missing) ? 'reads_hashed' : 'reads_unstored' }
}
