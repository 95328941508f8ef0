import { expect, test } from 'vitest'
import { DETECTORS } from '../../../src/domains/classification/detectors.ts'
import { scan } from '../../../src/domains/classification/scan.ts'

/** Findings of all detectors as `type: text`. */
function findValues(text: string): string[] {
  const { findings, failures } = scan([text], { detectors: DETECTORS, budgetMs: 60_000 })
  expect(failures).toEqual([])
  return (findings[0] ?? []).map(({ type, start, end }) => `${type}: ${text.slice(start, end)}`)
}

export const finds = (type: string, cases: readonly (readonly [text: string, ...values: string[]])[]): void => {
  test.each(cases)('finds in: %s', (text, ...values) =>
    expect(findValues(text)).toEqual(values.map((value) => `${type}: ${value}`)),
  )
}

export const letsPass = (texts: readonly string[]): void => {
  test.each(texts)('finds nothing in: %s', (text) => expect(findValues(text)).toEqual([]))
}
