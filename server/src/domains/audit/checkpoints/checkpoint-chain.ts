import type { AuditFault } from '../verify/chain-checker.ts'
import { type Checkpoint, checkpointHash, NO_CHECKPOINT_HASH } from './checkpoint.ts'

/** Checks the links between the checkpoints of a log, smallest first, and reports a missing one. */
export class CheckpointChainChecker {
  /** Hash that the next checkpoint must link to. */
  #predecessor: string
  #previousSize: number
  fault: AuditFault | undefined

  /** `start`: the checkpoint at which retention stopped; undefined: the log begins with its first record. */
  constructor(start: Checkpoint | undefined) {
    this.#predecessor = start ? checkpointHash(start) : NO_CHECKPOINT_HASH
    this.#previousSize = start?.size ?? 0
  }

  add(checkpoint: Checkpoint): void {
    const { size, previous } = checkpoint
    if (previous.hash !== this.#predecessor) this.#reportMissingBefore(size)
    this.#predecessor = checkpointHash(checkpoint)
    this.#previousSize = size
  }

  #reportMissingBefore(size: number): void {
    const sequence = this.#previousSize + 1
    this.fault ??= { sequence, ...(size > sequence && { through: size }), id: null, reason: 'checkpoint_missing' }
  }
}
