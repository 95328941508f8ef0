import { expect, test } from 'vitest'
import type { Finding } from '../../shared/finding.ts'
import { DETECTORS } from './detectors.ts'
import { scanJoined, scanSplit } from './scan-joined.ts'

const OPTIONS = { detectors: DETECTORS, budgetMs: 60_000 }
const scanned = async (texts: readonly string[]) =>
  scanSplit(texts, [texts.map((_, index) => index)], await scanJoined(texts, [], OPTIONS), OPTIONS)

const KEY = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'

test('scanSplit: both parts are found when a key continues in the next text', async () => {
  const { findings, counts } = await scanned([`The key is ${KEY.slice(0, 12)}`, ` ${KEY.slice(12)}, as ever`])
  expect(findings).toEqual([
    [{ type: 'secret.api_key', start: 11, end: 23, continues: true }],
    [{ type: 'secret.api_key', start: 1, end: 30 }],
  ])
  expect(counts.secret).toBe(1)
})

test.each([
  ['a card number in groups', ['4111 1111', '1111 1111'], 'pii.card'],
  ['a card number in one piece', ['It is 41111111', '11111111.'], 'pii.card'],
  ['an IBAN', ['To DE8937040044', '0532013000 please'], 'pii.iban'],
  ['a connection string', ['postgres://app:Kq8zT4', 'vW2x@db.example.com/main'], 'secret.connection_string'],
] as const)('scanSplit: finds %s that continues in the next text', async (_, texts, type) => {
  expect((await scanned(texts)).counts[type]).toBe(1)
})

test('scanSplit: no additional finding when a key is complete in one text', async () => {
  const texts = [`Here: ${KEY}`, 'Thanks']
  expect((await scanned(texts)).findings).toEqual((await scanJoined(texts, [], OPTIONS)).findings)
})

const SENTENCES = [
  ...['Could you look at invoice 2024-10-0047', 'It was for 1,250.00 EUR', '12 boxes arrived, 3 are missing'],
  ...['Version 24.11.0', 'See https://example.com/docs/page-2', 'The meeting is at 10:30', '15 people will come', 'thanks'],
  ...['My order is 4012888', 'and the other is 88888', 'Please translate this', 'call me back', 'Room 4.17'],
  ...['550e8400-e29b-41d4-a716-446655440000', 'ok.', 'const total = items.reduce((sum, { price }) => sum + price, 0)'],
  ...['- one\n- two\n- 3', 'alice@example.com', 'from Monday to Friday'],
]

test('scanSplit: no additional finding when ordinary sentences follow each other', async () => {
  for (const first of SENTENCES) {
    for (const second of SENTENCES) {
      const texts = [first, second, first]
      const apart = await scanJoined(texts, [], OPTIONS)
      expect(scanSplit(texts, [[0, 1, 2]], apart, OPTIONS).findings, `${first} | ${second}`).toEqual(apart.findings)
    }
  }
})

test('scanSplit: only the ends of long texts are read', async () => {
  let read = 0
  const counting = DETECTORS.map((detector) => ({
    ...detector,
    find: (text: string, findings: Finding[]) => {
      read += text.length
      detector.find(text, findings)
    },
  }))
  const long = 'There are 12 months in a year. '.repeat(4_000)
  const apart = { ...(await scanJoined([], [], OPTIONS)), findings: [[], []] }
  scanSplit([`${long}${KEY.slice(0, 12)}`, `${KEY.slice(12)} ${long}`], [[0, 1]], apart, { ...OPTIONS, detectors: counting })
  expect(read).toBeGreaterThan(0)
  expect(read).toBeLessThan(long.length / 50)
})
