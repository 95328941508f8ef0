/** Where segments of the audit log are stored. */
export interface ArchivePlace {
  /** Identifies the place; its position is stored under this key. */
  readonly key: string
  /**
   * Resolves when the segment is stored durably under `name`, a path with slashes. Replaces an earlier one of that name, which has the same
   * records. Throws otherwise, also after the time limit; the message contains no secret.
   */
  write(name: string, segment: Buffer, now: Date): Promise<void>
  close(): Promise<void>
}
