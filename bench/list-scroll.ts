import { existsSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import { openDatabase } from '../server/src/db/database.ts'
import { uuidOf } from '../server/src/db/values.ts'
import { chatBodies } from './support/chat-bodies.ts'
import { copyRecords } from './support/fill-history.ts'
import { type Gatehouse, startGatehouse } from './support/gatehouse.ts'
import { exitOnSignals } from './support/own-process.ts'
import { startRig } from './support/rig.ts'
import { scoped } from './support/scoped.ts'
import { quantile, spread } from './support/statistics.ts'

/**
 * Scrolls through the audit list of the dashboard with 100,000 records in Chromium, from the first to the last, and measures each frame. See
 * README.md. Exits with 1 when the bar is missed.
 */
const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
    /** Pixels that are scrolled in a frame. */
    speed: { type: 'string', default: '1500' },
    chromium: { type: 'string', default: process.env.CHROMIUM ?? '/usr/bin/chromium' },
  },
})
const RECORDS = Number(values.records)
const BAR_MS = 50
const LOAD_MS = 1_800_000

interface Round {
  /** Milliseconds between frames. */
  readonly frames: readonly number[]
  /** Long animation frames (over 50 ms), by the browser's own measure. */
  readonly long: readonly number[]
  readonly rows: number
  readonly heapMb: number
  readonly seconds: number
}

async function fill({ dataDir, workspaceId }: { readonly dataDir: string; readonly workspaceId: string }): Promise<void> {
  const database = await openDatabase({ url: undefined, dataDir, poolSize: 1, onError: () => {}, onProgress: () => {} })
  await copyRecords(database.pool, uuidOf('ws', workspaceId), RECORDS)
  await database.close()
}

async function openList(page: Page, { port }: Gatehouse, dataDir: string): Promise<void> {
  const { dashboard } = (await import(join(dataDir, 'demo.json'), { with: { type: 'json' } })).default
  const base = `http://127.0.0.1:${port}`
  const { email, password } = dashboard
  await page.request.post(`${base}/auth/sign-in/email`, { headers: { origin: base }, data: { email, password } })
  await page.goto(`${base}/dashboard/audit`)
  await page.getByRole('table', { name: 'Records' }).getByRole('row').nth(20).waitFor()
}

/** Runs in the page: scrolls a bit with each frame until the whole list was shown. */
const SCROLL_TO_END = `async (speed) => {
  const region = document.querySelector('[role=group][aria-label=Records]')
  const table = document.querySelector('table[aria-label=Records]')
  const long = []
  const observer = new PerformanceObserver((list) => {
    for (const { duration, startTime } of list.getEntries()) if (startTime >= started) long.push(duration)
  })
  const frames = []
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  // Frames in which the page was opened do not count.
  await frame()
  const started = performance.now()
  observer.observe({ type: 'long-animation-frame' })
  const isEnd = () => table.getAttribute('aria-rowcount') !== '-1' && region.scrollTop + region.clientHeight >= region.scrollHeight - 2
  for (let before = await frame(); !isEnd(); ) {
    region.scrollTop += speed
    const now = await frame()
    frames.push(now - before)
    before = now
  }
  observer.disconnect()
  const rows = Number(table.getAttribute('aria-rowcount')) - 1
  return { frames, long, rows, heapMb: performance.memory.usedJSHeapSize / 2 ** 20, seconds: (performance.now() - started) / 1_000 }
}`

exitOnSignals()
if (!existsSync(values.chromium)) throw new Error('Chromium not found. Give its path: --chromium PATH.')
await scoped(async (stack) => {
  const rig = await startRig(stack)
  const options = { dataDir: join(rig.folder, 'list'), providerPort: rig.provider.port }
  const first = await startGatehouse(options)
  const [body] = chatBodies(1)
  const headers = { authorization: `Bearer ${first.demo.applications[0]?.api_key}`, 'content-type': 'application/json' }
  await fetch(`http://127.0.0.1:${first.port}/v1/chat/completions`, { method: 'POST', headers, body: body ?? '' })
  const admin = { headers: { authorization: `Bearer ${first.demo.admin_token}` } }
  const workspaces = (await (await fetch(`http://127.0.0.1:${first.port}/admin/v1/workspaces`, admin)).json()) as {
    readonly data: readonly { readonly id: string }[]
  }
  await first.stop()
  await fill({ dataDir: options.dataDir, workspaceId: workspaces.data[0]?.id ?? '' })
  const gatehouse = stack.use(await startGatehouse(options))
  const browser = await chromium.launch({
    executablePath: values.chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-precise-memory-info'],
  })
  stack.defer(() => browser.close())
  const rounds: Round[] = []
  for (let number = 1; number <= Number(values.rounds); number++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    page.setDefaultTimeout(LOAD_MS)
    await openList(page, gatehouse, options.dataDir)
    const round = await page.evaluate<Round>(`(${SCROLL_TO_END})(${Number(values.speed)})`)
    if (round.rows < RECORDS) throw new Error(`the list has only ${round.rows} rows`)
    const sorted = round.frames.toSorted((a, b) => a - b)
    console.log(
      `${round.rows} rows in ${round.seconds.toFixed(0)} s, ${sorted.length} frames: median ${quantile(sorted, 0.5).toFixed(1)} ms,` +
        ` p99 ${quantile(sorted, 0.99).toFixed(1)} ms, longest ${quantile(sorted, 1).toFixed(1)} ms; ${round.long.length} over ${BAR_MS} ms` +
        ` (longest ${Math.max(0, ...round.long).toFixed(0)} ms); heap ${round.heapMb.toFixed(0)} MB; load average ${loadavg()[0]?.toFixed(1)}`,
    )
    rounds.push(round)
    await context.close()
  }
  const longest = spread(rounds.map(({ long }) => Math.max(0, ...long)))
  console.log(
    `longest frame, median of the rounds: ${longest.median.toFixed(0)} ms (${longest.min.toFixed(0)} – ${longest.max.toFixed(0)} ms)`,
  )
  if (longest.median > BAR_MS) process.exitCode = 1
})
