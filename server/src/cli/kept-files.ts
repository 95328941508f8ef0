import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Checkpoint } from '../audit/checkpoint.ts'
import { readKept } from '../audit/kept-checkpoints.ts'
import { CommandProblem } from './command.ts'

/** The checkpoints of files that the server has written outside the database. */
export async function keptCheckpoints(files: readonly string[]): Promise<Checkpoint[]> {
  const all: Checkpoint[] = []
  for (const file of files) for (const checkpoint of await keptIn(file)) all.push(checkpoint)
  return all
}

async function keptIn(file: string): Promise<Checkpoint[]> {
  const input = createReadStream(file)
  const failed = new Promise<never>((_, reject) => input.once('error', reject))
  try {
    return await Promise.race([readKept(createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })), failed])
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    throw new CommandProblem(`${file}: ${code ? `cannot be read (${code})` : message}`)
  }
}
