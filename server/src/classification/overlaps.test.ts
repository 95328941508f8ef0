import { expect, test } from 'vitest'
import type { Finding } from '../domain/finding.ts'
import { resolveOverlaps } from './overlaps.ts'

const finding = (type: Finding['type'], start: number, end: number): Finding => ({ type, start, end })

test('findings are sorted by start', () => {
  expect(resolveOverlaps([finding('pii.phone', 9, 12), finding('pii.email', 1, 5)]).map(({ start }) => start)).toEqual([1, 9])
})

test('a secret stays where personal data lies inside it', () => {
  const secret = finding('secret.connection_string', 0, 40)
  expect(resolveOverlaps([finding('pii.email', 10, 30), finding('pii.ip', 32, 39), secret])).toEqual([secret])
})

test('the more specific of two at the same place stays', () => {
  expect(resolveOverlaps([finding('pii.phone', 0, 19), finding('pii.card', 0, 19)])).toEqual([finding('pii.card', 0, 19)])
  expect(resolveOverlaps([finding('secret.token', 4, 44), finding('secret.api_key', 4, 44)])).toEqual([
    finding('secret.api_key', 4, 44),
  ])
})

test('two that overlap in part become one over both, so that a redaction leaves nothing', () => {
  expect(resolveOverlaps([finding('pii.phone', 0, 10), finding('pii.card', 5, 20)])).toEqual([finding('pii.card', 0, 20)])
})

test('an injection and hidden text are found besides what they contain', () => {
  const all = [finding('injection.exfiltration', 0, 40), finding('pii.email', 20, 35), finding('hidden.text', 25, 26)]
  expect(resolveOverlaps([...all].reverse())).toEqual(all)
})

test('neighbours are not overlaps', () => {
  const all = [finding('pii.email', 0, 5), finding('pii.phone', 5, 9)]
  expect(resolveOverlaps(all)).toEqual(all)
})
