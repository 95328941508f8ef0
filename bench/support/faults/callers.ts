import type { Call } from '../ha/load.ts'

/** What one group of callers saw between the start of a fault and the end of the measurement. */
export interface CallerView {
  /** Number of responses by outcome: `200`, a status with its error code, or `no response`. */
  readonly outcomes: ReadonlyMap<string, number>
  /** Milliseconds; 0 without a call. */
  readonly longestWait: number
}

export interface FaultView {
  readonly name: string
  /** Callers of the part that fails; undefined: there is no other part, and all callers are in `others`. */
  readonly affected: CallerView | undefined
  readonly others: CallerView
  /** Seconds from the end of the fault to the end of the last request that failed or took longer than `SLOW_MS`; 0: none did. */
  readonly recovery: number
}

export interface Span {
  readonly from: number
  /** When the fault was over. */
  readonly repaired: number
}

/** The bar of the wait on nodes without a fault. */
const SLOW_MS = 3_000

/** Callers of the node `affected` count apart from all others. */
export function viewFault(name: string, calls: readonly Call[], { from, repaired }: Span, affected?: string): FaultView {
  const during = calls.filter(({ at }) => at >= from)
  const isAffected = ({ node }: Call): boolean => node === affected
  const late = during.filter(({ at, ms, isOk }) => at > repaired && (!isOk || ms > SLOW_MS)).map(({ at }) => at - repaired)
  return {
    name,
    affected: affected === undefined ? undefined : viewOf(during.filter(isAffected)),
    others: viewOf(during.filter((call) => !isAffected(call))),
    recovery: Math.max(0, ...late) / 1_000,
  }
}

function viewOf(calls: readonly Call[]): CallerView {
  const outcomes = new Map<string, number>()
  for (const { outcome } of calls) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  return { outcomes, longestWait: Math.max(0, ...calls.map(({ ms }) => ms)) }
}

/** Formats the views as a Markdown table. */
export function toMarkdown(views: readonly FaultView[]): string {
  const show = (view: CallerView | undefined): string => {
    if (!view) return ' | '
    const outcomes = [...view.outcomes].toSorted(([, a], [, b]) => b - a).map(([outcome, count]) => `${count} × ${outcome}`)
    return `${outcomes.join(', ')} | ${(view.longestWait / 1_000).toFixed(1)} s`
  }
  return [
    '| fault | callers of the other nodes | longest wait | callers of the faulty node | longest wait | all well after |',
    '|---|---|--:|---|--:|--:|',
    ...views.map(
      ({ name, affected, others, recovery }) => `| ${name} | ${show(others)} | ${show(affected)} | ${recovery.toFixed(1)} s |`,
    ),
  ].join('\n')
}
