import { parseArgs } from 'node:util'
import type { Chunk } from '../server/src/domains/knowledge/chunking/chunk.ts'
import { DEFAULT_LIMITS, type ParsedDocument, readingMs } from '../server/src/domains/knowledge/parsing/document.ts'
import type { Task, TaskResult } from '../server/src/domains/knowledge/parsing/parser-worker.ts'
import { elapsed } from '../server/src/platform/lib/clock.ts'
import { createThreadPool } from '../server/src/platform/lib/thread-pool.ts'
import { TEXTS } from './support/large-files.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * Reads generated files of each format with 5 and 25 MB of text, in a thread as uploads are read: `scripts/run node bench/files.ts
 * [--only NAME] [--size MB] [--write]`, see README.md.
 */
const { values } = parseArgs({
  options: { only: { type: 'string' }, size: { type: 'string' }, write: { type: 'boolean', default: false } },
})
const MB = 1 << 20
const SIZES = values.size === undefined ? [5, 25] : [Number(values.size)]
const SAMPLE_MS = 50
/** Above the limit of the parser pool, so that the need of a file that exceeds it is measured. */
const HEAP_MB = 3_000
/** Of a thread that reads files (parser-pool.ts). */
const MEMORY_MB = 512

const filename = new URL('../server/src/domains/knowledge/parsing/parser-worker.ts', import.meta.url).href

interface Measured {
  readonly seconds: number
  readonly peakMb: number
  readonly result: TaskResult
}

/** In a new thread, so that its memory is that of the task. */
async function measure(task: Task): Promise<Measured> {
  const pool = await createThreadPool<Task, TaskResult>({
    ...{ filename, name: 'runTask', maxThreads: 1, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } },
  })
  let peak = 0
  const sample = setInterval(async () => {
    for (const thread of pool.threads) {
      const heap = await thread.getHeapStatistics().catch(() => undefined)
      if (heap) peak = Math.max(peak, heap.used_heap_size + heap.external_memory)
    }
  }, SAMPLE_MS)
  const from = elapsed()
  try {
    const result = await pool.run(task)
    return { seconds: (elapsed() - from) / 1_000, peakMb: Math.round(peak / MB), result }
  } finally {
    clearInterval(sample)
    await pool.destroy()
  }
}

async function row(format: string, megabytes: number): Promise<string> {
  const [name, generate] = TEXTS[format] ?? []
  if (name === undefined || generate === undefined) throw new Error(`unknown format ${format}`)
  const bytes = generate(Math.floor(megabytes * MB * 0.96))
  // Without the limits, so that the need of a file that exceeds them is measured.
  const limits = { bytes: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY }
  const { seconds, peakMb, result } = await measure({ kind: 'parse', bytes, options: { name, limits } })
  const limit = readingMs(bytes.length) / 1_000
  const cells = [format, `${megabytes} MB`, `${(bytes.length / MB).toFixed(1)} MB`]
  if ('refusal' in result)
    return `| ${[...cells, `${seconds.toFixed(1)} s`, `${peakMb} MB`, '', result.refusal.message].join(' | ')} |`
  const { markdown } = result.value as ParsedDocument
  const exceeded = [
    ...(seconds > limit ? ['time'] : []),
    ...(peakMb > MEMORY_MB ? ['memory'] : []),
    ...(markdown.length > DEFAULT_LIMITS.characters ? ['text'] : []),
  ]
  const chunks = exceeded.length === 0 ? await chunked(markdown) : ''
  const outcome = exceeded.length === 0 ? 'read' : `refused: ${exceeded.join(', ')}`
  return `| ${[...cells, `${seconds.toFixed(1)} s of ${limit}`, `${peakMb} MB`, chunks, outcome].join(' | ')} |`
}

async function chunked(markdown: string): Promise<string> {
  const { seconds, result } = await measure({ kind: 'chunk', markdown })
  return 'value' in result ? `${(result.value as readonly Chunk[]).length} in ${seconds.toFixed(1)} s` : result.refusal.message
}

const rows = ['| format | text | file | time | memory | chunks | outcome |', '|---|--:|--:|--:|--:|--:|---|']
for (const format of values.only === undefined ? Object.keys(TEXTS) : [values.only])
  for (const megabytes of SIZES) {
    rows.push(await row(format, megabytes))
    console.log(rows.at(-1))
  }
if (values.write) writeBetweenMarks(new URL('./README.md', import.meta.url), 'files', rows.join('\n'))
