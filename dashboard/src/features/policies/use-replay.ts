import { useCallback, useEffect, useRef, useState } from 'react'
import { hasStatus } from '../../api/api-error.ts'
import { type ResponseOf, sendRequest } from '../../api/operations.ts'
import { rankOfVerdict } from '../../ui/verdict.tsx'

export type ReplayPart = ResponseOf<'post', '/admin/v1/policy-sets/replay'>
type Change = ReplayPart['changes'][number]

/** Changed decisions with the same old and new verdict. */
export interface ChangeKind {
  readonly from: string
  readonly to: string
  /** The draft changes less of the texts. */
  readonly transformsLost: boolean
  readonly count: number
  /** The newest ones. */
  readonly examples: readonly Change[]
}

export interface ReplayState {
  readonly source: string
  readonly last: number
  readonly records: number
  readonly changed: number
  readonly unchanged: number
  readonly notReplayed: number
  readonly kinds: readonly ChangeKind[]
  readonly limits: ReplayPart['limits']
  readonly status: 'running' | 'done' | 'stopped' | 'failed'
}

/** Small enough that the progress moves, and that a replay leaves room for others. */
const PART = 250
const EXAMPLES = 5
const BUSY_WAIT_MS = 2_000
const MAX_BUSY = 10

/** Replays records in parts, which shows the progress and can be stopped. */
export function useReplay() {
  const [state, setState] = useState<ReplayState>()
  const [error, setError] = useState<unknown>()
  const stopping = useRef<AbortController>(undefined)
  const stop = useCallback(() => stopping.current?.abort(), [])
  useEffect(() => stop, [stop])
  const start = async (source: string, last: number) => {
    stop()
    const controller = new AbortController()
    stopping.current = controller
    const { signal } = controller
    setError(undefined)
    let replayed = emptyReplay(source, last)
    setState(replayed)
    try {
      let cursor: string | null | undefined
      while (replayed.records < last && cursor !== null) {
        const body = { source, last: Math.min(PART, last - replayed.records), ...(cursor && { cursor }) }
        const part = await sendPart(body, signal)
        replayed = addPart(replayed, part)
        cursor = part.next_cursor
        setState(replayed)
      }
      setState({ ...replayed, status: 'done' })
    } catch (cause) {
      if (stopping.current?.signal !== signal) return
      if (!signal.aborted) setError(cause)
      setState({ ...replayed, status: signal.aborted ? 'stopped' : 'failed' })
    }
  }
  return { state, error, start, stop }
}

interface PartBody {
  readonly source: string
  readonly last: number
  readonly cursor?: string
}

/** Waits while the server evaluates other drafts. */
async function sendPart(body: PartBody, signal: AbortSignal): Promise<ReplayPart> {
  for (let busy = 0; ; busy++) {
    try {
      return await sendRequest('post', '/admin/v1/policy-sets/replay', { body }, signal)
    } catch (error) {
      if (!hasStatus(error, 429) || busy >= MAX_BUSY) throw error
      await new Promise((done) => setTimeout(done, BUSY_WAIT_MS))
      signal.throwIfAborted()
    }
  }
}

const emptyReplay = (source: string, last: number): ReplayState => ({
  source,
  last,
  records: 0,
  changed: 0,
  unchanged: 0,
  notReplayed: 0,
  kinds: [],
  limits: [],
  status: 'running',
})

export const keyOf = ({ from, to, transformsLost }: Pick<ChangeKind, 'from' | 'to' | 'transformsLost'>): string =>
  `${from}-${to}-${transformsLost}`

const keyOfChange = ({ before, after, transforms_lost: transformsLost }: Change): string =>
  keyOf({ from: before.verdict, to: after.verdict, transformsLost })

/** How much weaker the new decisions are; 0: they are not. Lost transforms count less than a milder verdict. */
export function weakeningOf({ from, to, transformsLost }: Pick<ChangeKind, 'from' | 'to' | 'transformsLost'>): number {
  const milder = rankOfVerdict(from) - rankOfVerdict(to)
  return milder > 0 ? milder : transformsLost && milder === 0 ? 0.5 : 0
}

/** Adds the counts and examples of the next part. */
function addPart(replayed: ReplayState, part: ReplayPart): ReplayState {
  const kinds = new Map(replayed.kinds.map((kind) => [keyOf(kind), kind]))
  for (const { from, to, transforms_lost: transformsLost, count } of part.transitions) {
    const key = keyOf({ from, to, transformsLost })
    const { count: before = 0, examples = [] } = kinds.get(key) ?? {}
    const more = part.changes.filter((change) => keyOfChange(change) === key)
    kinds.set(key, { from, to, transformsLost, count: before + count, examples: [...examples, ...more].slice(0, EXAMPLES) })
  }
  const limits = new Map<string, ReplayPart['limits'][number]>()
  for (const limit of [...replayed.limits, ...part.limits]) {
    const key = JSON.stringify([limit.reason, limit.rule, limit.point, limit.fact])
    limits.set(key, { ...limit, count: limit.count + (limits.get(key)?.count ?? 0) })
  }
  return {
    ...replayed,
    records: replayed.records + part.records,
    changed: replayed.changed + part.changed,
    unchanged: replayed.unchanged + part.unchanged,
    notReplayed: replayed.notReplayed + part.not_replayed,
    kinds: [...kinds.values()].toSorted((one, other) => weakeningOf(other) - weakeningOf(one) || other.count - one.count),
    limits: [...limits.values()].toSorted((one, other) => other.count - one.count),
  }
}
