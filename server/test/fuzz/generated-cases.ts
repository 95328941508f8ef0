import fc from 'fast-check'
import { inject } from 'vitest'

/** `npm test` takes this share of the cases. */
export const SHARE = inject('isFull') ? 1 : 0.1
/** Reproduce a failure with FUZZ_SEED. */
export const SEED = Number(process.env.FUZZ_SEED ?? 20_261_121)

interface Options {
  /** Cases that are sent at the same time, in one run of a property. */
  readonly atOnce: number
  readonly limitMs: number
}

/** Sends generated cases with `send`, and counts the statuses of their responses. */
export function caseChecker<C>(send: (one: C) => Promise<number>, { atOnce, limitMs }: Options) {
  const seen = new Map<number, number>()
  return {
    seen,
    sent: () => [...seen.values()].reduce((sum, count) => sum + count, 0),
    /** Sends `count` generated cases. */
    check: (one: fc.Arbitrary<C>, count: number) =>
      fc.assert(
        fc.asyncProperty(fc.array(one, { minLength: atOnce, maxLength: atOnce }), async (batch) => {
          for (const status of await Promise.all(batch.map(send))) seen.set(status, (seen.get(status) ?? 0) + 1)
        }),
        {
          seed: SEED,
          numRuns: Math.ceil((count * SHARE) / atOnce),
          interruptAfterTimeLimit: limitMs,
          markInterruptAsFailure: true,
        },
      ),
  }
}
