import type { Checkpoint } from './checkpoint.ts'

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
