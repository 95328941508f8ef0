import { expect, test } from 'vitest'
import { compiledPolicy, policyInput, singleRuleDocument } from '../../test/support/policies.ts'
import type { Detector } from '../domains/classification/detector.ts'
import { Vault } from '../domains/policy/vault.ts'
import { elapsed } from '../platform/lib/clock.ts'
import { TimeSlices } from '../platform/lib/time-slices.ts'
import type { Classification } from '../shared/classification.ts'
import { NO_DEMANDS } from '../shared/decision.ts'
import { ANONYMOUS_USER } from '../shared/principal.ts'
import { governHits, type HitKind, MAX_GOVERNED } from './govern-hits.ts'

interface Hit {
  readonly text: string
  readonly classification: Classification
}

const policy = compiledPolicy(singleRuleDocument('content.text.contains("bad")', { verdict: 'deny' }, 'retrieve'))

/** Governs hits of these texts with a detector that computes for `ms` on each; answers the texts that pass and how many were governed. */
async function govern(texts: Iterable<string>, { limit = 10, ms = 0, timeSlices = new TimeSlices() } = {}) {
  let governed = 0
  const detector: Detector = {
    name: 'busy',
    find: () => {
      governed += 1
      const start = elapsed()
      while (elapsed() - start < ms);
    },
  }
  async function* batches() {
    for (const text of texts) yield [{ text, classification: 'internal' as const }]
  }
  const search = {
    limit,
    pause: timeSlices.pauses(),
    policy,
    input: policyInput({ hit: HIT }),
    readers: [ANONYMOUS_USER],
    vault: new Vault(),
    isAllowed: () => true,
  }
  const deps = { detectors: [detector], detectorBudgetMs: 10_000, reportFault: () => {} }
  const { hits } = await governHits(batches(), search, HITS, NO_DEMANDS, deps)
  return { texts: hits.map(({ text }) => text), governed }
}

const NAMES = { collection: '', document: '', title: '' }
const HIT = { ...NAMES, classification: 'internal', regulations: [], updatedAt: new Date(0) } as const

const HITS: HitKind<Hit> = {
  point: 'retrieve',
  texts: ({ text }) => [text],
  withTexts: (hit, [text = '']) => ({ ...hit, text }),
  subject: () => ({}),
}

const denied = (count: number) => Array.from({ length: count }, (_, at) => `bad ${at}`)

test('governHits: governs at most 512 hits when a rule denies thousands [GW-KNOW-11]', async () => {
  expect(await govern(denied(8_000))).toEqual({ texts: [], governed: MAX_GOVERNED })
  expect(MAX_GOVERNED).toBe(512)
})

test('governHits: fills the page when 502 hits are denied before ten that pass, and leaves it short when more are denied [GW-KNOW-11]', async () => {
  const good = Array.from({ length: 12 }, (_, at) => `good ${at}`)
  expect((await govern([...denied(MAX_GOVERNED - 10), ...good])).texts).toEqual(good.slice(0, 10))
  expect((await govern([...denied(MAX_GOVERNED - 4), ...good])).texts).toEqual(good.slice(0, 4))
})

test('governHits: lets the event loop run between hits when ten searches compute at the same time', async () => {
  const timeSlices = new TimeSlices()
  let iterations = 0
  let isDone = false
  const count = () => {
    iterations += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const searches = await Promise.all(Array.from({ length: 10 }, () => govern(denied(40), { ms: 1, timeSlices })))
  isDone = true
  expect(searches.map(({ governed }) => governed)).toEqual(Array.from({ length: 10 }, () => 40))
  // 400 ms of work in slices of 5 ms, one in each iteration of the loop: the first slices of the ten need no turn.
  expect(iterations).toBeGreaterThanOrEqual(50)
})
