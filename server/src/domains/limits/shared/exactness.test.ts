import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../../test/support/close-after-all.ts'
import { IdealBucket } from '../../../../test/support/limits/ideal-bucket.ts'
import { VirtualNode } from '../../../../test/support/limits/virtual-node.ts'
import { virtualStores } from '../../../../test/support/limits/virtual-stores.ts'
import { word } from '../../../../test/support/scripted-provider.ts'
import { RateLease } from './rate-lease.ts'
import { SlotLease } from './slot-lease.ts'

const NODES = 3
const SHARES = 60_000
const RUNS = 40

/** An action of one node; time passes before it. */
const STEP = fc.record({
  node: fc.nat({ max: NODES - 1 }),
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('use' as const) },
    { weight: 6, arbitrary: fc.constant('exchange' as const) },
    { weight: 4, arbitrary: fc.constantFrom('send' as const, 'arrive' as const, 'answer' as const, 'settle' as const) },
    { weight: 1, arbitrary: fc.constantFrom('lose' as const, 'crash' as const) },
  ),
  ms: fc.oneof(fc.constant(0), fc.nat({ max: 20 }), fc.nat({ max: 20 }), fc.nat({ max: 900 }), fc.nat({ max: 3_000 })),
  amount: fc.integer({ min: 1, max: 4 }),
  part: fc.constantFrom(0, 0.5, 1, 1, 1),
})
const STEPS = fc.array(STEP, { minLength: 40, maxLength: 120 })

describe.each(virtualStores())('leases in $name', async ({ open }) => {
  const store = await closeAfterAll(open())

  test('rate lease: nodes admit at most burst + rate × time together, whatever is lost, late or crashed', async () => {
    const rates = fc.record({ perMinute: fc.integer({ min: 1, max: 900 }), capacity: fc.integer({ min: 4, max: 30 }) })
    let admitted = 0
    await fc.assert(
      fc.asyncProperty(rates, STEPS, async (rate, steps) => {
        const key = word()
        const ideal = new IdealBucket(rate.perMinute)
        store.now = 1_700_000_000_000
        const nodes = Array.from(
          { length: NODES },
          (_, index) => new VirtualNode(store, index * 1_234.5, (x) => new RateLease(key, rate, x)),
        )
        for (const { node: index, kind, ms, amount, part } of steps) {
          store.now += ms
          ideal.pass(ms)
          const node = nodes[index] as VirtualNode<RateLease>
          if (kind === 'settle') node.settle()
          else if (kind !== 'use') await node.act(kind)
          else if (node.lease.waitMs(amount, node.now) === 0) {
            for (let i = 0; i < 3 && node.lease.waitMs(amount, node.now) === 0; i++) {
              const actual = Math.floor(amount * part)
              const reservation = node.lease.reserve(amount, () => node.now)
              node.open.push(() => reservation.settle(actual))
              ideal.used += actual * SHARES
              admitted += 1
            }
            expect(ideal.used).toBeLessThanOrEqual(rate.capacity * SHARES)
          } else node.lease.ask(amount, node.now)
        }
      }),
      { numRuns: RUNS },
    )
    expect(admitted).toBeGreaterThan(RUNS)
  })

  test('slot lease: nodes never run more requests than the limit together', async () => {
    let most = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 12 }), STEPS, async (capacity, steps) => {
        const key = word()
        store.now = 1_700_000_000_000
        const create = (exchanger: ConstructorParameters<typeof SlotLease>[2]) =>
          new SlotLease(key, capacity, exchanger, () => {})
        const nodes = Array.from({ length: NODES }, (_, index) => new VirtualNode(store, index * 1_234.5, create))
        for (const { node: index, kind, ms } of steps) {
          // No node is silent for longer than the lease.
          store.now += Math.floor(Math.min(ms, 9_000 / steps.length))
          const node = nodes[index] as VirtualNode<SlotLease>
          if (kind === 'settle') node.settle()
          else if (kind !== 'use') await node.act(kind)
          else if (node.lease.hasFree(node.now)) {
            node.lease.take()
            node.open.push(() => node.lease.release())
          } else void node.lease.ask(node.now)
          const running = nodes.reduce((sum, { lease }) => sum + lease.inFlight, 0)
          most = Math.max(most, running)
          expect(running).toBeLessThanOrEqual(capacity)
        }
      }),
      { numRuns: RUNS },
    )
    expect(most).toBeGreaterThan(2)
  })
})
