import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Checkpoint } from '../audit/checkpoint.ts'
import { parseCheckpointLines } from '../audit/kept-checkpoints.ts'
import { CommandFailure } from './terminal.ts'

/** Reads the kept checkpoints of files written outside the database. */
export async function readKeptCheckpoints(files: readonly string[]): Promise<Checkpoint[]> {
  const all: Checkpoint[] = []
  for (const file of files) for (const checkpoint of await readKeptFile(file)) all.push(checkpoint)
  return all
}

async function readKeptFile(file: string): Promise<Checkpoint[]> {
  const input = createReadStream(file)
  const failed = new Promise<never>((_, reject) => input.once('error', reject))
  try {
    return await Promise.race([parseCheckpointLines(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })), failed])
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new CommandFailure(`${file}: ${code ? `cannot be read (${code})` : message}`)
  }
}
