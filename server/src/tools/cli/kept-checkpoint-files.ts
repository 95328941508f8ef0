import { createReadStream } from 'node:fs'
import type { Checkpoint } from '../../domains/audit/checkpoints/checkpoint.ts'
import { parseCheckpointLines } from '../../domains/audit/checkpoints/kept-checkpoints.ts'
import { linesOf } from '../../platform/lib/lines.ts'
import { CommandFailure } from './terminal.ts'

/** Reads the kept checkpoints of files written outside the database. */
export async function readKeptCheckpoints(files: readonly string[]): Promise<Checkpoint[]> {
  const all: Checkpoint[] = []
  for (const file of files) for (const checkpoint of await readKeptFile(file)) all.push(checkpoint)
  return all
}

async function readKeptFile(file: string): Promise<Checkpoint[]> {
  try {
    return await parseCheckpointLines(linesOf(createReadStream(file)))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new CommandFailure(`${file}: ${code ? `cannot be read (${code})` : message}`)
  }
}
