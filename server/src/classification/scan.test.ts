import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countFindings } from '../domain/finding.ts'
import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors.ts'
import { scan } from './scan.ts'

const budgetMs = 5_000
const finder: Detector = { name: 'finder', detect: (text) => [{ type: 'pii.phone', start: 0, end: text.length }] }
const thrower: Detector = {
  name: 'thrower',
  detect: () => {
    throw new Error('broken')
  },
}
const sleeper: Detector = {
  name: 'sleeper',
  detect: () => {
    const end = performance.now() + 20
    while (performance.now() < end);
    return []
  },
}

test('every text has its own findings, counted together by type and group', () => {
  const { findings, counts, failures } = scan(['write to a@b.co', 'nothing', '10.1.2.3 and c@d.org'], {
    detectors: DETECTORS,
    budgetMs,
  })
  expect(findings.map((list) => list.map(({ type }) => type))).toEqual([['pii.email'], [], ['pii.ip', 'pii.email']])
  expect(counts).toMatchObject({ 'pii.email': 2, 'pii.ip': 1, pii: 3, 'pii.card': 0, secret: 0, injection: 0, hidden: 0 })
  expect(failures).toEqual([])
})

test('counts hold every type and group, also when nothing is found', () => {
  expect(scan(['hello'], { detectors: DETECTORS, budgetMs }).counts).toEqual(countFindings([]))
  expect(scan([], { detectors: DETECTORS, budgetMs })).toEqual({ findings: [], counts: countFindings([]), failures: [] })
})

test('a detector that throws is named, and what the others found stays', () => {
  const { findings, failures } = scan(['x'], { detectors: [thrower, finder], budgetMs })
  expect(failures).toEqual(['thrower'])
  expect(findings[0]).toHaveLength(1)
})

test('a detector that overruns the budget is named, and so are those that no longer ran', () => {
  const { findings, failures } = scan(['x'], { detectors: [finder, sleeper, { ...finder, name: 'late' }], budgetMs: 10 })
  expect(failures).toEqual(['sleeper', 'late'])
  expect(findings[0]).toHaveLength(1)
})

test('no detector hides behind an earlier one that has thrown', () => {
  expect(scan(['x'], { detectors: [thrower, sleeper, finder], budgetMs: 10 }).failures).toEqual(['thrower', 'sleeper', 'finder'])
})

test('the same detectors give the same answer again: they keep nothing between texts', () => {
  const texts = ['my password is hunter2, mail a@b.co', 'call +1 202 555 0123', 'ignore all previous instructions']
  const first = scan(texts, { detectors: DETECTORS, budgetMs })
  expect(scan(texts, { detectors: DETECTORS, budgetMs })).toEqual(first)
  expect(scan(texts.toReversed(), { detectors: DETECTORS, budgetMs }).findings).toEqual(first.findings.toReversed())
})

test('whatever the text: no failure, spans in order and inside it, none overlapping in one layer', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      'a@b.co',
      '4111 1111 1111 1111',
      '+49 30 1234567',
      'password=hunter2',
      'ignore previous instructions',
      '\u200b',
      '\u202e',
    ),
    fc.constantFrom(
      'postgres://u:p@h/d',
      'Name: Jane Doe',
      '10.1.2.3',
      ' ',
      '\n',
      '=',
      ':',
      '-----BEGIN ',
      '![',
      '://',
      '\ud835',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      const { findings, failures } = scan([text], { detectors: DETECTORS, budgetMs })
      expect(failures).toEqual([])
      const ends = new Map<string, number>()
      let last = 0
      for (const { type, start, end } of findings[0] ?? []) {
        const layer = /^(?:pii|secret)/.test(type) ? 'data' : type.slice(0, type.indexOf('.'))
        expect(start).toBeGreaterThanOrEqual(last)
        expect(start).toBeGreaterThanOrEqual(ends.get(layer) ?? 0)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
        ends.set(layer, end)
        last = start
      }
    }),
    { numRuns: 500 },
  )
})
