import type { Checkpoint } from './checkpoint.ts'

/** Checkpoints kept outside the database, taken in order of size while a log is read. */
export class KeptCheckpointQueue {
  readonly #sorted: readonly Checkpoint[]
  #next = 0

  constructor(kept: readonly Checkpoint[]) {
    this.#sorted = kept.toSorted((a, b) => a.size - b.size)
  }

  /** Takes the remaining checkpoints with sizes up to `sequence`. */
  takeThrough(sequence: number): readonly Checkpoint[] {
    const from = this.#next
    while ((this.#sorted[this.#next]?.size ?? Number.POSITIVE_INFINITY) <= sequence) this.#next += 1
    return this.#sorted.slice(from, this.#next)
  }

  /** The smallest remaining checkpoint; undefined if all were taken. */
  get rest(): Checkpoint | undefined {
    return this.#sorted[this.#next]
  }
}

/** Parses a file with one checkpoint per line. Throws a TypeError that names the invalid line. */
export async function parseCheckpointLines(lines: AsyncIterable<string>): Promise<Checkpoint[]> {
  const kept: Checkpoint[] = []
  let number = 0
  for await (const line of lines) {
    number += 1
    if (line.trim() !== '') kept.push(parseCheckpoint(line, number))
  }
  return kept
}

function parseCheckpoint(line: string, number: number): Checkpoint {
  try {
    const value = JSON.parse(line) as Partial<Checkpoint> | null
    const { workspace_id, size, hash, root, signature, frontier } = value ?? {}
    const isText = [workspace_id, hash, root, signature].every((field) => typeof field === 'string')
    if (value?.object === 'audit_checkpoint' && isText && Number.isSafeInteger(size) && Array.isArray(frontier))
      return value as Checkpoint
  } catch {
    // Reported below.
  }
  throw new TypeError(`line ${number} is not an audit checkpoint`)
}
