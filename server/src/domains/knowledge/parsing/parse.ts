import type { Chunk, ChunkOptions } from '../chunking/chunk.ts'
import { DEFAULT_LIMITS, DocumentError, megabytes, type ParsedDocument, type ParseOptions } from './document.ts'
import { ParserPool } from './parser-pool.ts'

const pool = new ParserPool()

/** Parses a file in a worker thread. Throws `DocumentError`. */
export async function parseDocument(bytes: Uint8Array, options: ParseOptions): Promise<ParsedDocument> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  // Checked here to avoid copying the file to a worker thread.
  if (bytes.length > limits.bytes) {
    throw new DocumentError('too_large', `The file is larger than ${megabytes(limits.bytes)}. Split it into several files.`)
  }
  return pool.run({ kind: 'parse', bytes, options: { ...options, limits } }, limits.milliseconds)
}

/** `chunkMarkdown` in a worker thread, because counting the tokens of one megabyte takes about 0.3 s. */
export async function chunkDocument(
  document: { readonly title: string; readonly markdown: string },
  options: ChunkOptions = {},
): Promise<readonly Chunk[]> {
  const { title, markdown } = document
  return pool.run({ kind: 'chunk', document: { title, markdown }, options }, DEFAULT_LIMITS.milliseconds)
}

/** Ends the worker threads at once instead of after their idle time. */
export const closeParsers = (): Promise<void> => pool.close()
