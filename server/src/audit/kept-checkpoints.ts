import type { Checkpoint } from './checkpoint.ts'

/** Checkpoints from outside, smallest first, handed out as a log is read. */
export class KeptCheckpoints {
  readonly #sorted: readonly Checkpoint[]
  #next = 0

  constructor(kept: readonly Checkpoint[]) {
    this.#sorted = kept.toSorted((a, b) => a.size - b.size)
  }

  /** Those that end with a record up to `sequence`, and were not handed out yet. */
  takeThrough(sequence: number): readonly Checkpoint[] {
    const from = this.#next
    while ((this.#sorted[this.#next]?.size ?? Number.POSITIVE_INFINITY) <= sequence) this.#next += 1
    return this.#sorted.slice(from, this.#next)
  }

  /** The first that was not handed out; undefined when all were. */
  get rest(): Checkpoint | undefined {
    return this.#sorted[this.#next]
  }
}

/** The checkpoints of a file that the server has written outside, one JSON line each. Throws a TypeError that names the line. */
export async function readKept(lines: AsyncIterable<string>): Promise<Checkpoint[]> {
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
    // Told below.
  }
  throw new TypeError(`line ${number} is not an audit checkpoint`)
}
