import type { Checkpoint } from '../checkpoints/checkpoint.ts'

/** A store for checkpoints outside the database. */
export interface CheckpointDestination {
  /** Used in metrics and logs. */
  readonly kind: 'file' | 'bucket' | 'http'
  /** Identifies the destination; its position is stored under this key. */
  readonly key: string
  /**
   * Resolves when the checkpoint is stored durably. Throws otherwise, also after the time limit; the message contains no secret.
   */
  write(checkpoint: Checkpoint, now: Date): Promise<void>
  close(): Promise<void>
}
