import { useEffect, useState } from 'react'
import { oneOf } from './location.ts'

/** How far back statistics look, by the word that stands in the address. */
export const PERIODS = { '1h': 'Hour', '24h': 'Day', '7d': 'Week', '30d': 'Month' } as const
export type Period = keyof typeof PERIODS

const NAMES = Object.keys(PERIODS) as Period[]
const HOURS: Readonly<Record<Period, number>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 }
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const CHECK_MS = 5_000

export const readPeriod = (search: Readonly<Record<string, unknown>>) => ({ period: oneOf(NAMES, search.period) ?? '24h' })

/** When the period began, to the minute. It moves on with the time, so that a page that stays open shows the last hour. */
export function useSince(period: Period): string {
  const [minute, setMinute] = useState(thisMinute)
  useEffect(() => {
    const timer = setInterval(() => setMinute(thisMinute()), CHECK_MS)
    return () => clearInterval(timer)
  }, [])
  return new Date(minute - HOURS[period] * HOUR_MS).toISOString()
}

const thisMinute = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
