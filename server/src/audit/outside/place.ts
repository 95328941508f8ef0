import type { Checkpoint } from '../checkpoint.ts'

/** A place outside the database that keeps checkpoints. */
export interface OutsidePlace {
  /** For metrics and logs. */
  readonly kind: 'file' | 'bucket' | 'http'
  /** Tells this place from any other that was configured before; how far it has come is remembered under it. */
  readonly key: string
  /** Resolves when the place has it for good. Throws otherwise, also after its time limit; the message names no secret. */
  write(checkpoint: Checkpoint, now: Date): Promise<void>
  close(): Promise<void>
}
