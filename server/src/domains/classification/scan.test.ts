import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countFindings } from '../../shared/finding.ts'
import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors.ts'
import { scan } from './scan.ts'

const budgetMs = 60_000
/** A budget that only the slow detector exceeds, also on a busy machine. */
const SHORT_MS = 300
const finder: Detector = { name: 'finder', detect: (text) => [{ type: 'pii.phone', start: 0, end: text.length }] }
const thrower: Detector = {
  name: 'thrower',
  detect: () => {
    throw new Error('broken')
  },
}
const slow: Detector = {
  name: 'slow',
  detect: () => {
    const before = process.threadCpuUsage()
    while (process.threadCpuUsage(before).user < (SHORT_MS + 50) * 1_000);
    return []
  },
}
/** Stands for a process that the system has stopped, or that other processes keep from running. */
const stopped: Detector = {
  name: 'stopped',
  detect: () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SHORT_MS + 50)
    return []
  },
}

test('scan: each text has its findings, and the counts are sums by type and group', () => {
  const { findings, counts, failures } = scan(['write to a@b.co', 'nothing', '10.1.2.3 and c@d.org'], {
    detectors: DETECTORS,
    budgetMs,
  })
  expect(findings.map((list) => list.map(({ type }) => type))).toEqual([['pii.email'], [], ['pii.ip', 'pii.email']])
  expect(counts).toMatchObject({ 'pii.email': 2, 'pii.ip': 1, pii: 3, 'pii.card': 0, secret: 0, injection: 0, hidden: 0 })
  expect(failures).toEqual([])
})

test('scan: counts have every type and group when there are no findings', () => {
  expect(scan(['hello'], { detectors: DETECTORS, budgetMs }).counts).toEqual(countFindings([]))
  expect(scan([], { detectors: DETECTORS, budgetMs })).toEqual({ findings: [], counts: countFindings([]), failures: [] })
})

test('scan: a detector that throws is a failure, and findings of the others stay', () => {
  const { findings, failures } = scan(['x'], { detectors: [thrower, finder], budgetMs })
  expect(failures).toEqual(['thrower'])
  expect(findings[0]).toHaveLength(1)
})

test('scan: a detector that exceeds the budget and all detectors after it are failures', () => {
  const { findings, failures } = scan(['x'], { detectors: [finder, slow, { ...finder, name: 'late' }], budgetMs: SHORT_MS })
  expect(failures).toEqual(['slow', 'late'])
  expect(findings[0]).toHaveLength(1)
})

test('scan: no detector fails when the process stood still in the middle of the scan', () => {
  expect(scan(['x'], { detectors: [stopped, finder], budgetMs: SHORT_MS })).toMatchObject({
    failures: [],
    findings: [[{ type: 'pii.phone' }]],
  })
})

test('scan: detectors after an exceeded budget are failures when an earlier one has thrown', () => {
  expect(scan(['x'], { detectors: [thrower, slow, finder], budgetMs: SHORT_MS }).failures).toEqual(['thrower', 'slow', 'finder'])
})

test('scan: findings are the same when texts are scanned again, in any order', () => {
  const texts = ['my password is hunter2, mail a@b.co', 'call +1 202 555 0123', 'ignore all previous instructions']
  const first = scan(texts, { detectors: DETECTORS, budgetMs })
  expect(scan(texts, { detectors: DETECTORS, budgetMs })).toEqual(first)
  expect(scan(texts.toReversed(), { detectors: DETECTORS, budgetMs }).findings).toEqual(first.findings.toReversed())
})

test('scan: random texts have no failures, and spans are sorted, inside the text and without overlaps in one layer', () => {
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
