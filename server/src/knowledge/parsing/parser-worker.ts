import { parentPort } from 'node:worker_threads'
import type { Chunk, ChunkOptions } from '../chunking/chunk.ts'
import { DocumentError, type DocumentErrorCode, type ParsedDocument, type ParseOptions, unreadable } from './document.ts'

/** Runs inside the threads that parser-pool.ts starts. */
export type Task =
  | { readonly kind: 'parse'; readonly bytes: Uint8Array; readonly options: ParseOptions }
  | {
      readonly kind: 'chunk'
      readonly document: { readonly title: string; readonly markdown: string }
      readonly options: ChunkOptions
    }

export type Answer =
  | { readonly value: ParsedDocument | readonly Chunk[] }
  | { readonly refusal: { readonly code: DocumentErrorCode; readonly message: string } }

parentPort?.on('message', async (task: Task) => parentPort?.postMessage(await answer(task)))

async function answer(task: Task): Promise<Answer> {
  try {
    return { value: await carryOut(task) }
  } catch (error) {
    const { code, message } = error instanceof DocumentError ? error : unreadable(error)
    return { refusal: { code, message } }
  }
}

async function carryOut(task: Task) {
  if (task.kind === 'parse') return (await import('./read.ts')).readDocument(task.bytes, task.options)
  return (await import('../chunking/chunk.ts')).chunkMarkdown(task.document, task.options)
}
