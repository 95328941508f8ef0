import { expect, test } from 'vitest'
import type { Finding } from '../../shared/finding.ts'
import { resolveOverlaps } from './scan.ts'

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
