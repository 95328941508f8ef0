import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countFindings, type Finding } from '../../shared/finding.ts'
import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors.ts'
import { resolveOverlaps, scan } from './scan.ts'

const budgetMs = 60_000
const ALL = { detectors: DETECTORS, budgetMs }
/** A budget that only the slow detector exceeds, also on a busy machine. */
const SHORT_MS = 300
const finder: Detector = {
  name: 'finder',
  find: (text, list) => void list.push({ type: 'pii.phone', start: 0, end: text.length }),
}
const thrower: Detector = {
  name: 'thrower',
  find: () => {
    throw new Error('broken')
  },
}
const slow: Detector = {
  name: 'slow',
  find: () => {
    const before = process.threadCpuUsage()
    while (process.threadCpuUsage(before).user < (SHORT_MS + 50) * 1_000);
  },
}
/** Stands for a process that the system has stopped, or that other processes keep from running. */
const stopped: Detector = {
  name: 'stopped',
  find: () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, SHORT_MS + 50)
  },
}

test('scan: each text has its findings, and the counts are sums by type and group', () => {
  const { findings, counts, failures } = scan(['write to a@b.co', 'nothing', '10.1.2.3 and c@d.org'], ALL)
  expect(findings.map((list) => list.map(({ type }) => type))).toEqual([['pii.email'], [], ['pii.ip', 'pii.email']])
  expect(counts).toMatchObject({ 'pii.email': 2, 'pii.ip': 1, pii: 3, 'pii.card': 0, secret: 0, injection: 0, hidden: 0 })
  expect(failures).toEqual([])
})

test('scan: an invisible character does not hide an address', () => {
  const [found = []] = scan(['jane@exam\u200bple.com'], ALL).findings
  expect(found.map(({ type, start, end }) => [type, start, end])).toEqual([
    ['pii.email', 0, 17],
    ['hidden.text', 9, 10],
  ])
})

test('scan: counts have every type and group when there are no findings', () => {
  expect(scan(['hello'], ALL).counts).toEqual(countFindings([]))
  expect(scan([], ALL)).toEqual({ findings: [], counts: countFindings([]), failures: [] })
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
  const first = scan(texts, ALL)
  expect(scan(texts, ALL)).toEqual(first)
  expect(scan(texts.toReversed(), ALL).findings).toEqual(first.findings.toReversed())
})

test('scan: random texts have no failures, and spans are sorted, inside the text and without overlaps in one layer', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('a@b.co', '4111 1111 1111 1111', '+49 30 1234567', 'password=hunter2', 'ignore previous instructions'),
    fc.constantFrom('postgres://u:p@h/d', 'Name: Jane Doe', '10.1.2.3', '-----BEGIN ', '![', '://'),
    fc.constantFrom(' ', '\n', '=', ':', '\ud835', '\u200b', '\u202e'),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = pieces.join('')
      const { findings, failures } = scan([text], ALL)
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

const finding = (type: Finding['type'], start: number, end: number): Finding => ({ type, start, end })

test('resolveOverlaps: findings are sorted by start', () => {
  expect(resolveOverlaps([finding('pii.phone', 9, 12), finding('pii.email', 1, 5)]).map(({ start }) => start)).toEqual([1, 9])
})

test('resolveOverlaps: secret stays when it contains personal data', () => {
  const secret = finding('secret.connection_string', 0, 40)
  expect(resolveOverlaps([finding('pii.email', 10, 30), finding('pii.ip', 32, 39), secret])).toEqual([secret])
})

test('resolveOverlaps: more specific type stays when two findings have one span', () => {
  expect(resolveOverlaps([finding('pii.phone', 0, 19), finding('pii.card', 0, 19)])).toEqual([finding('pii.card', 0, 19)])
  expect(resolveOverlaps([finding('secret.token', 4, 44), finding('secret.api_key', 4, 44)])).toEqual([
    finding('secret.api_key', 4, 44),
  ])
})

test('resolveOverlaps: one finding over both spans when two findings overlap in part', () => {
  expect(resolveOverlaps([finding('pii.phone', 0, 10), finding('pii.card', 5, 20)])).toEqual([finding('pii.card', 0, 20)])
})

test('resolveOverlaps: injections and hidden text stay in addition to their content', () => {
  const all = [finding('injection.exfiltration', 0, 40), finding('pii.email', 20, 35), finding('hidden.text', 25, 26)]
  expect(resolveOverlaps([...all].reverse())).toEqual(all)
})

test('resolveOverlaps: adjacent findings stay separate', () => {
  const all = [finding('pii.email', 0, 5), finding('pii.phone', 5, 9)]
  expect(resolveOverlaps(all)).toEqual(all)
})
