import { useMemo } from 'react'
import { oneOf } from './location.ts'

/** How far back statistics look, by the word that stands in the address. */
export const PERIODS = { '1h': 'Hour', '24h': 'Day', '7d': 'Week', '30d': 'Month' } as const
export type Period = keyof typeof PERIODS

const NAMES = Object.keys(PERIODS) as Period[]
const HOURS: Readonly<Record<Period, number>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 }
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

export const readPeriod = (search: Readonly<Record<string, unknown>>) => ({ period: oneOf(NAMES, search.period) ?? '24h' })

/** When the period began, seen from the minute in which it was chosen: the same question for as long as it is looked at. */
export function useSince(period: Period): string {
  return useMemo(() => {
    const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
    return new Date(now - HOURS[period] * HOUR_MS).toISOString()
  }, [period])
}
