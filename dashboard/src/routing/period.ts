import { useEffect, useState } from 'react'
import { oneOf, textOf } from './location.ts'

/** Periods of statistics that end now, by their value in the URL. */
export const PERIODS = ['1h', '24h', '7d', '30d', '90d'] as const
export type Period = (typeof PERIODS)[number]

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const CHECK_MS = 5_000
const HOURS: Readonly<Record<Period, number>> = { '1h': 1, '24h': 24, '7d': 168, '30d': 720, '90d': 2_160 }

/** A period in the URL: one that ends now, or the days from `from` to `to`, both inclusive (`2026-11-21`). */
export interface ChosenPeriod {
  readonly period: Period
  readonly from: string | undefined
  readonly to: string | undefined
}

export function readPeriod(search: Readonly<Record<string, unknown>>): ChosenPeriod {
  const period = oneOf(PERIODS, search.period) ?? '24h'
  const [from, to] = [dayIn(search.from), dayIn(search.to)]
  return from !== undefined && to !== undefined && from <= to ? { period, from, to } : { period, from: undefined, to: undefined }
}

/** Only days that the calendar has. */
function dayIn(value: unknown): string | undefined {
  const text = textOf(value)
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(localDay(text).getTime()) ? text : undefined
}

const localDay = (day: string): Date => new Date(`${day}T00:00:00`)

/** Times for the API. */
export interface TimeRange {
  readonly from: string
  /** Absent: now. */
  readonly to?: string
}

/** Times of the period; those of a period that ends now move on, to the minute, while the page is open. */
export function useTimeRange({ period, from, to }: ChosenPeriod): TimeRange {
  const [minute, setMinute] = useState(currentMinute)
  useEffect(() => {
    const timer = setInterval(() => setMinute(currentMinute()), CHECK_MS)
    return () => clearInterval(timer)
  }, [])
  if (from === undefined || to === undefined) return { from: new Date(minute - HOURS[period] * HOUR_MS).toISOString() }
  return { from: localDay(from).toISOString(), to: localDay(dayAfter(to)).toISOString() }
}

/** Days of the calendar do not depend on the time zone. */
const dayAfter = (day: string): string => new Date(Date.parse(day) + 24 * HOUR_MS).toISOString().slice(0, 10)

/** The period as filters of the audit log, whose days have a time. */
export const recordsOf = ({ period, from, to }: ChosenPeriod): Readonly<Record<string, string | undefined>> =>
  from === undefined || to === undefined ? { period } : { from: `${from}T00:00`, to: `${dayAfter(to)}T00:00` }

/** When a period that ends now begins, to the minute. */
export const periodStart = (period: Period): string => new Date(currentMinute() - HOURS[period] * HOUR_MS).toISOString()

const currentMinute = (): number => Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
