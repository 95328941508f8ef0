import type { Bad } from './chain-checker.ts'
import { type Checkpoint, checkpointHash, NO_CHECKPOINT } from './checkpoint.ts'
import type { LogSeal } from './log-seal.ts'

/** Walks along the checkpoints of a log, smallest first, and finds where one is missing between two. */
export class CheckpointChain {
  readonly #sealedFrom: number | null
  /** What the next checkpoint may name: the last one, and where older nodes have signed since, each of theirs. */
  #before: string[]
  #size: number
  bad: Bad | undefined

  /** `start`: the checkpoint at which retention stopped; undefined: the log begins with its first record. */
  constructor(start: Checkpoint | undefined, seal: Pick<LogSeal, 'sealed_from'> | undefined) {
    this.#before = [start ? checkpointHash(start) : NO_CHECKPOINT]
    this.#size = start?.size ?? 0
    this.#sealedFrom = seal?.sealed_from ?? null
  }

  next(checkpoint: Checkpoint): void {
    const { size, previous } = checkpoint
    if (previous) {
      if (!this.#before.includes(previous.hash)) this.#missingBefore(size)
      this.#before = []
    } else if (this.#sealedFrom !== null && size >= this.#sealedFrom) {
      // The link was taken away: older nodes do not sign here any more.
      this.bad ??= { sequence: size, id: null, reason: 'checkpoint_altered' }
    }
    this.#before.push(checkpointHash(checkpoint))
    this.#size = size
  }

  #missingBefore(size: number): void {
    const sequence = this.#size + 1
    this.bad ??= { sequence, ...(size > sequence && { through: size }), id: null, reason: 'checkpoint_missing' }
  }
}
