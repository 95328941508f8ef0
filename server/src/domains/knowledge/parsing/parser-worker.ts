import type { Chunk } from '../chunking/chunk.ts'
import { DocumentError, type DocumentErrorCode, type ParsedDocument, type ParseOptions, unreadable } from './document.ts'

export type Task =
  | { readonly kind: 'parse'; readonly bytes: Uint8Array; readonly options: ParseOptions }
  | { readonly kind: 'chunk'; readonly markdown: string }

export type TaskResult =
  | { readonly value: ParsedDocument | readonly Chunk[] }
  | { readonly refusal: { readonly code: DocumentErrorCode; readonly message: string } }

/** Runs in the threads of parser-pool.ts. */
export async function runTask(task: Task): Promise<TaskResult> {
  try {
    return { value: await execute(task) }
  } catch (error) {
    const { code, message } = error instanceof DocumentError ? error : unreadable(error)
    return { refusal: { code, message } }
  }
}

async function execute(task: Task) {
  if (task.kind === 'parse') return (await import('./parse-file.ts')).parseFile(task.bytes, task.options)
  return (await import('../chunking/chunk.ts')).chunkMarkdown(task.markdown)
}
