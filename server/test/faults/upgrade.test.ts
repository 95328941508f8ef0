import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startProcess } from '../../../bench/support/own-process.ts'
import { startBalancer } from '../support/balancer.ts'
import { postgresUrl } from '../support/database.ts'
import { checkOutLastRelease, hasLastRelease, type LastRelease } from '../support/last-release.ts'
import { type MixedLoad, startMixedLoad } from '../support/mixed-load.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

const THIS_VERSION = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const LOAD_MS = 120_000
const POLL_MS = 50
const url = postgresUrl()
const hasHistory = hasLastRelease()
if (url !== null && !hasHistory)
  console.warn(
    'This clone lacks the commit of the last release: the test of the upgrade is skipped. Fetch the whole history to run it.',
  )

/** Needs TEST_DATABASE_URL and the history of the repository. */
describe.skipIf(url === null || !hasHistory)('upgrade from the last release under load', { timeout: 600_000 }, () => {
  const cleanups: (() => unknown)[] = []
  let last: LastRelease
  beforeAll(() => {
    last = checkOutLastRelease()
    cleanups.push(last.remove)
  })
  afterAll(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  })

  async function prepare() {
    const database = await createOwnDatabase(url ?? '')
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upgrade-'))
    const balancer = await startBalancer()
    cleanups.push(database.drop, () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }), balancer.close)
    // Both versions get the environment of the last release.
    const env = {
      DATABASE_URL: database.url,
      GATEHOUSE_SECRET_KEY: 'x'.repeat(32),
      GATEHOUSE_DATA: folder,
      GATEHOUSE_DRAIN_DELAY_MS: '2000',
      GATEHOUSE_DEMO: '1',
    }
    const start = async (main: string) => {
      // The last release does not know this variable; an empty one counts as unset.
      const node = await startServerProcess({ ...env, ...(main === last.main && { GATEHOUSE_PROCESSES: '' }) }, main)
      cleanups.push(node.remove)
      balancer.add(node.base)
      return node
    }
    return { env, start, balancer }
  }

  const stopNode = async (node: ServerProcess): Promise<void> => {
    node.own.child.kill('SIGTERM')
    expect(await node.exitCode(), node.output().slice(-2_000)).toBe(0)
  }

  /** The exit code and output of `gatehouse audit verify` of a version. */
  async function verifyAudit(main: string, env: Readonly<Record<string, string>>) {
    const own = startProcess(main, { args: ['audit', 'verify'], env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [own.child.stdout, own.child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
    await own.ended
    return { code: own.child.exitCode, output }
  }

  /** Waits until each kind of request has succeeded three times more. */
  async function awaitLoad({ report: { succeeded, failed }, kinds }: MixedLoad): Promise<void> {
    const before = { ...succeeded }
    const isMissing = (kind: string) => (succeeded[kind] ?? 0) < (before[kind] ?? 0) + 3
    for (const until = performance.now() + LOAD_MS; failed.length === 0 && kinds.some(isMissing); await sleep(POLL_MS))
      expect(performance.now(), `no requests of the kinds ${kinds.filter(isMissing).join(', ')} succeed`).toBeLessThan(until)
    expect(failed).toEqual([])
  }

  test('upgrade: no request fails, and both versions verify the audit log, when this version replaces the last and goes back to it', async () => {
    const { env, start, balancer } = await prepare()
    const old = await start(last.main)
    await balancer.ready(1)
    const load = await startMixedLoad(balancer.base, old.demo())
    const each = () => awaitLoad(load)
    await each()

    const upgraded = await start(THIS_VERSION)
    await balancer.ready(2)
    await each()
    for (const main of [last.main, THIS_VERSION]) expect(await verifyAudit(main, env)).toMatchObject({ code: 0 })
    await stopNode(old)
    await each()

    const downgraded = await start(last.main)
    await balancer.ready(2)
    await each()
    await stopNode(upgraded)
    await each()

    const { failed } = await load.stop()
    expect(failed).toEqual([])
    for (const main of [last.main, THIS_VERSION]) expect(await verifyAudit(main, env)).toMatchObject({ code: 0 })
    await stopNode(downgraded)
  })
})
