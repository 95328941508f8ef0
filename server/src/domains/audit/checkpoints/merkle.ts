import { sha256 } from '../../../platform/lib/sha256.ts'

/**
 * Merkle tree of RFC 9162 §2.1 over SHA-256. `Frontier` extends a tree from the hashes on its right edge, and `PartialTree` makes
 * proofs for the leaves that it has, given the frontier of the leaves before them. Proofs and new roots therefore need no records
 * that retention has removed.
 */

export const leafHash = (data: Uint8Array): Buffer => sha256(Buffer.concat([Buffer.of(0), data]))
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.concat([Buffer.of(1), left, right]))

const EMPTY_ROOT = sha256('')
const HASH_BYTES = 32

/** An append-only tree: its size and the roots of its perfect subtrees, largest (leftmost) first. */
export class Frontier {
  #size: number
  readonly #peaks: Buffer[]

  /** Throws a RangeError if the number of peaks does not fit `size`. */
  constructor(size = 0, peaks: readonly Buffer[] = []) {
    if (peaks.length !== countBits(size)) throw new RangeError(`a tree of ${size} leaves does not have ${peaks.length} peaks`)
    this.#size = size
    this.#peaks = [...peaks]
  }

  /** Throws a RangeError if the length of `bytes` does not fit `size`. */
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

  /** The first perfect subtree in which two trees of the same size differ, as leaves `start` to `end` (exclusive). */
  firstDifference(other: Frontier): { start: number; end: number } | undefined {
    let start = 0
    for (const [index, peak] of this.#peaks.entries()) {
      const end = start + largestPowerUpTo(this.#size - start)
      if (!other.#peaks[index]?.equals(peak)) return { start, end }
      start = end
    }
    return undefined
  }
}

/** The leaves `before.size` up to `size` of a tree; of earlier leaves only the frontier. */
export class PartialTree {
  readonly #before: Frontier
  readonly #leaves: readonly Buffer[]

  constructor(leaves: readonly Buffer[], before = new Frontier()) {
    this.#before = before
    this.#leaves = leaves
  }

  get size(): number {
    return this.#before.size + this.#leaves.length
  }

  root(): Buffer {
    return this.size === 0 ? EMPTY_ROOT : this.#subtree(0, this.size)
  }

  /** RFC 9162 §2.1.3.1. `index` counts from 0; the tree must have this leaf. */
  inclusionPath(index: number): Buffer[] {
    if (index < this.#before.size || index >= this.size) throw new RangeError(`leaf ${index} is not in this part of the tree`)
    const path: Buffer[] = []
    let [start, end] = [0, this.size]
    while (end - start > 1) {
      const middle = start + largestPowerBelow(end - start)
      const left = index < middle
      path.unshift(left ? this.#subtree(middle, end) : this.#subtree(start, middle))
      if (left) end = middle
      else start = middle
    }
    return path
  }

  /** RFC 9162 §2.1.4.1: proof that the tree of the first `size` leaves is a prefix of this tree. `size` ≥ the frontier's. */
  consistencyPath(size: number): Buffer[] {
    if (size < 1 || size < this.#before.size || size > this.size)
      throw new RangeError(`no consistency proof from a tree of ${size} leaves`)
    const path: Buffer[] = []
    let [start, end] = [0, this.size]
    while (size !== end) {
      const middle = start + largestPowerBelow(end - start)
      const left = size <= middle
      path.unshift(left ? this.#subtree(middle, end) : this.#subtree(start, middle))
      if (left) end = middle
      else start = middle
    }
    // The verifier already has the root of the smaller tree, so it is omitted if it is this subtree.
    return start === 0 ? path : [this.#subtree(start, end), ...path]
  }

  #subtree(start: number, end: number): Buffer {
    if (end <= this.#before.size) return this.#peak(start, end)
    if (end - start === 1) return this.#leaves[start - this.#before.size] as Buffer
    const middle = start + largestPowerBelow(end - start)
    return nodeHash(this.#subtree(start, middle), this.#subtree(middle, end))
  }

  /** Proofs only need peaks of the earlier leaves: subtrees to the left of a leaf that this tree has. */
  #peak(start: number, end: number): Buffer {
    let at = 0
    for (const peak of this.#before.peaks) {
      const width = largestPowerUpTo(this.#before.size - at)
      if (at === start && at + width === end) return peak
      at += width
    }
    throw new RangeError(`the subtree of leaves ${start} to ${end} is not in this part of the tree`)
  }
}

/** RFC 9162 §2.1.3.2. `leaf`: a leaf hash; `index` counts from 0. */
export function verifyInclusion(proof: {
  leaf: Buffer
  index: number
  size: number
  path: readonly Buffer[]
  root: Buffer
}): boolean {
  if (proof.index < 0 || proof.index >= proof.size) return false
  let [first, second] = [proof.index, proof.size - 1]
  let top = proof.leaf
  for (const sibling of proof.path) {
    if (second === 0) return false
    if (first % 2 === 1 || first === second) {
      top = nodeHash(sibling, top)
      while (first % 2 === 0 && first !== 0) [first, second] = [halve(first), halve(second)]
    } else {
      top = nodeHash(top, sibling)
    }
    ;[first, second] = [halve(first), halve(second)]
  }
  return second === 0 && top.equals(proof.root)
}

/** RFC 9162 §2.1.4.2: whether the tree with `oldRoot` is a prefix of the tree with `newRoot`. */
export function verifyConsistency(proof: {
  oldSize: number
  oldRoot: Buffer
  newSize: number
  newRoot: Buffer
  path: readonly Buffer[]
}): boolean {
  const { oldSize, oldRoot, newSize, newRoot } = proof
  if (oldSize < 1 || oldSize > newSize) return false
  if (oldSize === newSize) return proof.path.length === 0 && oldRoot.equals(newRoot)
  const path = countBits(oldSize) === 1 ? [oldRoot, ...proof.path] : proof.path
  const [start, ...siblings] = path
  if (start === undefined) return false
  let [first, second] = [oldSize - 1, newSize - 1]
  while (first % 2 === 1) [first, second] = [halve(first), halve(second)]
  let [oldTop, newTop] = [start, start]
  for (const sibling of siblings) {
    if (second === 0) return false
    if (first % 2 === 1 || first === second) {
      oldTop = nodeHash(sibling, oldTop)
      newTop = nodeHash(sibling, newTop)
      while (first % 2 === 0 && first !== 0) [first, second] = [halve(first), halve(second)]
    } else {
      newTop = nodeHash(newTop, sibling)
    }
    ;[first, second] = [halve(first), halve(second)]
  }
  return second === 0 && oldTop.equals(oldRoot) && newTop.equals(newRoot)
}

const halve = (n: number): number => Math.floor(n / 2)

function countBits(n: number): number {
  let bits = 0
  for (let rest = n; rest > 0; rest = halve(rest)) bits += rest % 2
  return bits
}

function largestPowerUpTo(n: number): number {
  let power = 1
  while (power * 2 <= n) power *= 2
  return power
}

/** The k of RFC 9162: the largest power of two smaller than n; n ≥ 2. */
const largestPowerBelow = (n: number): number => largestPowerUpTo(n - 1)
