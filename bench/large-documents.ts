import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Gatehouse, startGatehouse } from './support/gatehouse.ts'
import { TEXTS } from './support/large-files.ts'
import { quantile } from './support/statistics.ts'
import { writeBetweenMarks } from './support/table.ts'

/**
 * Measures how long other requests wait while a server with the embedded database stores, replaces, relabels and deletes one large document:
 * `scripts/run node bench/large-documents.ts [--size MB] [--write]`, see README.md. Needs a built server.
 */
const { values } = parseArgs({
  options: { size: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } },
})
const MB = 1 << 20
const PROBE_MS = 10
const QUIET_MS = 5_000
/** Jobs remove old versions within this time. */
const JOBS_MS = 45_000

const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
const gatehouse = await startGatehouse({ dataDir, providerPort: 9 })
try {
  const rows = await measure(gatehouse)
  const table = ['| | duration | median of other requests | longest |', '|---|--:|--:|--:|', ...rows].join('\n')
  console.log(table)
  if (values.write) writeBetweenMarks(new URL('README.md', import.meta.url), 'large-documents', table)
} finally {
  await gatehouse.kill()
  rmSync(dataDir, { recursive: true, force: true })
}

async function measure({ port, demo }: Gatehouse): Promise<string[]> {
  const call = async (method: string, path: string, body?: object | Uint8Array): Promise<Record<string, unknown>> => {
    const isFile = body instanceof Uint8Array
    const response = await fetch(`http://127.0.0.1:${port}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${demo.admin_token}`,
        ...(body && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body && { body: isFile ? Buffer.from(body) : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
    return text === '' ? {} : JSON.parse(text)
  }
  /** Requests that read the database, one after the other, while the work runs. */
  const row = async (name: string, work: () => Promise<unknown>): Promise<string> => {
    const times: number[] = []
    let isOver = false
    const from = performance.now()
    const working = work().finally(() => {
      isOver = true
    })
    while (!isOver) {
      const started = performance.now()
      await call('GET', '/collections?limit=1')
      times.push(performance.now() - started)
      await sleep(PROBE_MS)
    }
    await working
    const seconds = (performance.now() - from) / 1_000
    const sorted = times.toSorted((a, b) => a - b)
    return `| ${name} | ${seconds.toFixed(1)} s | ${quantile(sorted, 0.5).toFixed(1)} ms | ${quantile(sorted, 1).toFixed(0)} ms |`
  }
  const generate = TEXTS.Markdown?.[1]
  if (!generate) throw new Error('Markdown files cannot be generated')
  const fileOf = (share: number): Uint8Array => generate(Math.floor(Number(values.size) * MB * share))
  const [first, second] = [fileOf(0.96), fileOf(0.95)]
  const { id } = await call('POST', '/collections', { name: 'books', classification: 'public', acl: { everyone: true } })
  const put = async (file: Uint8Array | undefined): Promise<string> => {
    const { data } = await call('POST', `/collections/${id}/documents?key=book.md&name=book.md`, file)
    const [outcome] = data as { document_id: string | null }[]
    if (!outcome?.document_id) throw new Error(JSON.stringify(data))
    return outcome.document_id
  }
  let document = ''
  return [
    await row('no other work', () => sleep(QUIET_MS)),
    await row('stored', async () => {
      document = await put(first)
    }),
    await row('replaced', () => put(second)),
    await row('jobs remove the old version', () => sleep(JOBS_MS)),
    await row('new classification', () => call('PATCH', `/documents/${document}`, { classification: 'internal' })),
    await row('deleted', () => call('DELETE', `/documents/${document}`)),
    await row('jobs remove its content', () => sleep(JOBS_MS)),
  ]
}
