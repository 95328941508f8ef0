import type { Call, Kind } from './load.ts'

/** What callers saw between two times. */
export interface Outage {
  readonly calls: number
  /** Longest time between two successful chats of any node, and of the node that suffered most; in seconds. */
  readonly pause: number
  readonly pauseOfOneNode: number
  /** Number of failed requests by kind and outcome, for example `chat 503 UNAVAILABLE`. */
  readonly errors: ReadonlyMap<string, number>
}

export function measureOutage(calls: readonly Call[], from: number, to: number): Outage {
  const during = calls.filter(({ at }) => at >= from && at <= to)
  const nodes = [...new Set(during.map(({ node }) => node))]
  const errors = new Map<string, number>()
  for (const { kind, outcome, isOk } of during) {
    if (!isOk) errors.set(`${kind} ${outcome}`, (errors.get(`${kind} ${outcome}`) ?? 0) + 1)
  }
  return {
    calls: during.length,
    pause: longestPause(during, 'chat', { from, to }),
    pauseOfOneNode: Math.max(
      ...nodes.map((node) =>
        longestPause(
          during.filter((call) => call.node === node),
          'chat',
          { from, to },
        ),
      ),
    ),
    errors,
  }
}

/** Seconds. */
function longestPause(calls: readonly Call[], kind: Kind, { from, to }: { from: number; to: number }): number {
  const times = calls.filter((call) => call.kind === kind && call.isOk).map(({ at }) => at)
  const marks = [from, ...times.toSorted((a, b) => a - b), to]
  return Math.max(...marks.slice(1).map((mark, index) => mark - (marks[index] ?? from))) / 1_000
}
