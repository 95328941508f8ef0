import { sha256 } from '../../../platform/lib/sha256.ts'

/** RFC 9162 §2.1 over SHA-256. New roots and proofs need only the right edge (`Frontier`) of earlier leaves, which retention may have removed. */

export const leafHash = (data: Uint8Array): Buffer => sha256(Buffer.concat([Buffer.of(0), data]))
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.concat([Buffer.of(1), left, right]))

const EMPTY_ROOT = sha256('')
const HASH_BYTES = 32

/** An append-only tree: its size and the roots of its perfect subtrees, largest (leftmost) first. */
export class Frontier {
  #size: number
  readonly #peaks: Buffer[]

  constructor(size = 0, peaks: readonly Buffer[] = []) {
    if (peaks.length !== countBits(size)) throw new RangeError(`a tree of ${size} leaves does not have ${peaks.length} peaks`)
    this.#size = size
    this.#peaks = [...peaks]
  }

  static fromBytes(size: number, bytes: Buffer): Frontier {
    if (bytes.length !== countBits(size) * HASH_BYTES) throw new RangeError(`not the frontier of a tree of ${size} leaves`)
    const peaks = Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
      bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
    )
    return new Frontier(size, peaks)
  }

  get size(): number {
    return this.#size
  }

  get peaks(): readonly Buffer[] {
    return this.#peaks
  }

  append(leaf: Buffer): void {
    let top = leaf
    // As in a binary counter: each trailing one bit of the size is a perfect subtree to merge with.
    for (let carry = this.#size; carry % 2 === 1; carry = Math.floor(carry / 2)) top = nodeHash(this.#peaks.pop() as Buffer, top)
    this.#peaks.push(top)
    this.#size += 1
  }

  root(): Buffer {
    return (
      this.#peaks.reduceRight<Buffer | undefined>((right, left) => (right ? nodeHash(left, right) : left), undefined) ??
      EMPTY_ROOT
    )
  }

  peakAt(start: number, end: number): Buffer {
    const found = this.#subtrees().find((subtree) => subtree.start === start && subtree.end === end)
    if (!found) throw new RangeError(`the subtree of leaves ${start} to ${end} is not in this part of the tree`)
    return found.peak
  }

  /** The first perfect subtree in which two trees of the same size differ, as leaves `start` to `end` (exclusive). */
  firstDifference(other: Frontier): { start: number; end: number } | undefined {
    const found = this.#subtrees().find(({ peak }, index) => !other.#peaks[index]?.equals(peak))
    return found && { start: found.start, end: found.end }
  }

  *#subtrees(): Generator<{ start: number; end: number; peak: Buffer }> {
    let start = 0
    for (const peak of this.#peaks) {
      const end = start + largestPowerUpTo(this.#size - start)
      yield { start, end, peak }
      start = end
    }
  }
}

/** RFC 9162 §2.1.3.1. `before`: the frontier of the earlier leaves, which may be gone. Throws if `index` (from 0) is not among `leaves`. */
export function inclusionPath(before: Frontier, leaves: readonly Buffer[], index: number): Buffer[] {
  const size = before.size + leaves.length
  if (index < before.size || index >= size) throw new RangeError(`leaf ${index} is not in this part of the tree`)
  const path: Buffer[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + largestPowerBelow(end - start)
    const left = index < middle
    path.unshift(left ? subtree(middle, end) : subtree(start, middle))
    if (left) end = middle
    else start = middle
  }
  return path

  function subtree(start: number, end: number): Buffer {
    if (end <= before.size) return before.peakAt(start, end)
    if (end - start === 1) return leaves[start - before.size] as Buffer
    const middle = start + largestPowerBelow(end - start)
    return nodeHash(subtree(start, middle), subtree(middle, end))
  }
}

const countBits = (n: number): number => n.toString(2).replaceAll('0', '').length

function largestPowerUpTo(n: number): number {
  let power = 1
  while (power * 2 <= n) power *= 2
  return power
}

/** The k of RFC 9162: the largest power of two smaller than n; n ≥ 2. */
const largestPowerBelow = (n: number): number => largestPowerUpTo(n - 1)
