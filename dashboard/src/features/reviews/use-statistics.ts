import type { ResponseOf } from '../../api/operations.ts'
import { useRead } from '../../api/queries.ts'
import { countDecided } from './as-decided.ts'
import { useUnsentDecisions } from './unsent-decisions.ts'

const PATH = '/admin/v1/reviews/statistics'
export const STATISTICS_KEY = [PATH, {}]

export type Statistics = ResponseOf<'get', typeof PATH>

/** Events of the queue refresh the figures as well (use-queue.ts). Expiry causes no event. */
const REFRESH_MS = 60_000

/** The figures of the reviews, with the decisions that wait to be sent. */
export function useStatistics() {
  const { data, error } = useRead(PATH, {}, { refetchInterval: REFRESH_MS })
  const waiting = useUnsentDecisions().filter(({ sending }) => sending === undefined)
  return { data: data && countAsDecided(data, countDecided(waiting)), error }
}

/** The figures after `number` more decisions. */
export const countAsDecided = (figures: Statistics, number: number): Statistics => ({
  ...figures,
  decided: figures.decided + number,
  pending: { ...figures.pending, count: Math.max(0, figures.pending.count - number) },
})
