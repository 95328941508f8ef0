/** Returns numbers from 0 (inclusive) to 1 (exclusive). Equal seeds give equal numbers. */
export type Random = () => number

/** Mulberry32: small and fast, not for secrets. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A whole number from `min` to `max`, both included. */
export const between = (random: Random, min: number, max: number): number => min + Math.floor(random() * (max - min + 1))

/** One of `items`. @throws when there is none. */
export function pick<T>(random: Random, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('nothing to pick from')
  return item
}
