import { useEffect, useState } from 'react'
import { oneOf } from './location.ts'

/** Periods of statistics, by their value in the URL. */
export const PERIODS = { '1h': 'Hour', '24h': 'Day', '7d': 'Week', '30d': 'Month' } as const
export type Period = keyof typeof PERIODS

const PERIOD_NAMES = Object.keys(PERIODS) as Period[]
const HOURS: Readonly<Record<Period, number>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 }
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const CHECK_MS = 5_000

export const readPeriod = (search: Readonly<Record<string, unknown>>) => ({ period: oneOf(PERIOD_NAMES, search.period) ?? '24h' })

/** Start of the period, to the minute. Updated while the page is open. */
export function usePeriodStart(period: Period): string {
  const [minute, setMinute] = useState(currentMinute)
  useEffect(() => {
    const timer = setInterval(() => setMinute(currentMinute()), CHECK_MS)
    return () => clearInterval(timer)
  }, [])
  return new Date(minute - HOURS[period] * HOUR_MS).toISOString()
}

const currentMinute = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
