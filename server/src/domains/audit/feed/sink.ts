/** A place to which records are sent. */
export interface FeedSink {
  /**
   * Resolves when the receiver has all lines, which have no line breaks. Throws otherwise; all lines are then sent again. The message
   * contains no secret.
   */
  write(lines: readonly string[]): Promise<void>
  close(): Promise<void>
}
