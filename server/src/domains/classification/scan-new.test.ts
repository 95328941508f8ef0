import { expect, test } from 'vitest'
import { newId } from '../../platform/lib/id.ts'
import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors.ts'
import { scan } from './scan.ts'
import { scanNew } from './scan-new.ts'

const PROSE = 'The committee met on Tuesday, together with Anna Smith (anna.smith@example.com), and discussed the budget. '
const HISTORY = [PROSE.repeat(20), PROSE.repeat(30), 'short', `${PROSE.repeat(40)} AKIAQ3EGRWZT5HPLV2NX`]
const budgetMs = 60_000

/** Scans with detectors that note the texts which they read. */
async function scanned(texts: readonly string[], scope: string | undefined, more: readonly Detector[] = []) {
  const read: string[] = []
  const reader: Detector = { name: 'reader', raw: true, find: (text) => void read.push(text) }
  const result = await scanNew(texts, { detectors: [...DETECTORS, reader, ...more], budgetMs, scope })
  return { read, result }
}

test('scanNew: reads only short and new texts again, and finds what a whole scan finds', async () => {
  const scope = newId('app')
  const first = await scanned(HISTORY, scope)
  expect(first.read).toEqual(HISTORY)
  const longer = [...HISTORY, PROSE.repeat(25)]
  const second = await scanned(longer, scope)
  expect(second.read).toEqual(['short', longer[4]])
  expect(second.result).toEqual(scan(longer, { detectors: DETECTORS, budgetMs }))
  const third = await scanned(longer.toReversed(), scope)
  expect(third.read).toEqual(['short'])
  expect(third.result.findings).toEqual(second.result.findings.toReversed())
})

test('scanNew: reads texts in the thread once too, and a text of more than 100,000 characters each time', async () => {
  const scope = newId('app')
  const texts = [...Array.from({ length: 8 }, (_, index) => `${index} ${PROSE.repeat(800)}`), PROSE.repeat(1_000)]
  const options = { detectors: DETECTORS, budgetMs, scope }
  const whole = scan(texts, options)
  expect(await scanNew(texts, options)).toEqual(whole)
  const second = await scanned(texts, scope)
  expect(second.read).toEqual(texts.slice(-1))
  expect(second.result).toEqual(whole)
})

test('scanNew: reads a text again that differs in one character, and every text in another scope or without one', async () => {
  const scope = newId('app')
  await scanned(HISTORY, scope)
  const changed = HISTORY.map((text) => text.replace('budget', 'budgets'))
  expect((await scanned(changed, scope)).read).toEqual(changed)
  expect((await scanned(HISTORY, newId('app'))).read).toEqual(HISTORY)
  expect((await scanned(HISTORY, undefined)).read).toEqual(HISTORY)
})

test('scanNew: reads a text with half a surrogate pair again, which has the bytes of another text', async () => {
  const scope = newId('app')
  const halves = ['\ufffd', '\ud800', '\udc00'].map((half) => `${PROSE.repeat(20)}${half}`)
  for (const half of halves) expect((await scanned([half], scope)).read).toEqual([half])
  expect((await scanned(halves, scope)).read).toEqual(halves.slice(1))
})

test('scanNew: reads texts again when a detector failed on one of them', async () => {
  const scope = newId('app')
  const broken: Detector = {
    name: 'broken',
    find: () => {
      throw new Error('broken')
    },
  }
  expect((await scanned(HISTORY, scope, [broken])).result.failures).toEqual(['broken'])
  const second = await scanned(HISTORY, scope)
  expect(second.read).toEqual(HISTORY)
  expect(second.result.failures).toEqual([])
})
