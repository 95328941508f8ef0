import { isCelError, parse, plan } from '@bufbuild/cel'
import { expect, test } from 'vitest'
import { createEnvironment } from './environment.ts'

const { cel } = createEnvironment()
const evaluate = (source: string): unknown => {
  const result = plan(cel, parse(source))({})
  return isCelError(result) ? result.message : result
}

test.each([
  ['timestamp("2026-03-29T00:59:59Z").getHours("Europe/Berlin")', 1n],
  ['timestamp("2026-03-29T01:00:00Z").getHours("Europe/Berlin")', 3n],
  ['timestamp("2026-03-29T02:30:00Z").getHours()', 2n],
  ['timestamp("2026-03-01T23:30:00Z").getDayOfWeek()', 0n],
  ['timestamp("2026-03-01T23:30:00Z").getDayOfWeek("+01:00")', 1n],
  ['timestamp("2026-03-01T23:30:00Z").getDayOfWeek("01:00")', 1n],
  ['timestamp("2026-01-01T00:00:00Z").getDayOfYear()', 0n],
  ['timestamp("2026-12-31T00:00:00Z").getDayOfYear()', 364n],
  ['timestamp("2026-12-31T23:59:59Z").getFullYear("Asia/Tokyo")', 2027n],
  ['timestamp("2026-12-31T00:00:00Z").getMonth()', 11n],
  ['timestamp("2026-12-31T00:00:00Z").getDate()', 31n],
  ['timestamp("2026-12-31T00:00:00Z").getDayOfMonth()', 30n],
  ['timestamp("2026-12-31T00:00:00.250Z").getMilliseconds()', 250n],
  ['timestamp("2026-12-31T10:20:30Z").getMinutes("Asia/Kolkata")', 50n],
  ['duration("90m").getHours()', 1n],
])('timeFunctions: %s is %s in any time zone of the machine', (source, expected) => expect(evaluate(source)).toBe(expected))
