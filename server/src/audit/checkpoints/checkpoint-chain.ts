import type { AuditFault } from '../verify/chain-checker.ts'
import { type Checkpoint, checkpointHash, NO_CHECKPOINT_HASH } from './checkpoint.ts'
import type { LogSeal } from './log-seal.ts'

/** Checks the links between the checkpoints of a log, smallest first, and reports a missing or altered one. */
export class CheckpointChainChecker {
  readonly #sealedFrom: number | null
  /** Hashes that the next checkpoint may link to: the last linked one, and those that older versions have signed since. */
  #allowedPredecessors: string[]
  #previousSize: number
  fault: AuditFault | undefined

  /** `start`: the checkpoint at which retention stopped; undefined: the log begins with its first record. */
  constructor(start: Checkpoint | undefined, seal: Pick<LogSeal, 'sealed_from'> | undefined) {
    this.#allowedPredecessors = [start ? checkpointHash(start) : NO_CHECKPOINT_HASH]
    this.#previousSize = start?.size ?? 0
    this.#sealedFrom = seal?.sealed_from ?? null
  }

  add(checkpoint: Checkpoint): void {
    const { size, previous } = checkpoint
    if (previous) {
      if (!this.#allowedPredecessors.includes(previous.hash)) this.#reportMissingBefore(size)
      this.#allowedPredecessors = []
    } else if (this.#sealedFrom !== null && size >= this.#sealedFrom) {
      // The link was removed: older versions no longer sign checkpoints of this log.
      this.fault ??= { sequence: size, id: null, reason: 'checkpoint_altered' }
    }
    this.#allowedPredecessors.push(checkpointHash(checkpoint))
    this.#previousSize = size
  }

  #reportMissingBefore(size: number): void {
    const sequence = this.#previousSize + 1
    this.fault ??= { sequence, ...(size > sequence && { through: size }), id: null, reason: 'checkpoint_missing' }
  }
}
