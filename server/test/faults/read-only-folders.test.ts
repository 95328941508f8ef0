import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { freePort } from '../../../bench/support/free-port.ts'
import { postgresUrl } from '../support/database.ts'
import { cleanupsAfterEach } from '../support/nodes.ts'
import { createOwnDatabase } from '../support/own-database.ts'

const MAIN = fileURLToPath(new URL('../../dist/main.mjs', import.meta.url))
const url = postgresUrl()
/** Runs a command where all of the root file system is read-only, temporary folders included. */
const READ_ONLY = [
  'unshare',
  '--mount',
  'sh',
  '-c',
  'mount -o remount,bind,ro / && ! touch /tmp/written 2>/dev/null && exec "$0" "$@"',
]
const [command = '', ...args] = READ_ONLY
const canRemount = spawnSync(command, [...args, 'true']).status === 0

/** Needs TEST_DATABASE_URL, and the right to mount. */
describe.skipIf(url === null || !canRemount)('node on PostgreSQL without a writable folder', { timeout: 400_000 }, () => {
  const cleanups = cleanupsAfterEach()

  test('serve: becomes ready and stops with exit code 0 when no folder is writable', async () => {
    const database = await createOwnDatabase(url ?? '')
    cleanups.push(database.drop)
    const base = `http://127.0.0.1:${await freePort()}`
    const env = {
      PATH: process.env.PATH,
      PORT: new URL(base).port,
      DATABASE_URL: database.url,
      GATEHOUSE_SECRET_KEY: 'x'.repeat(32),
      GATEHOUSE_DATA: '/data-that-does-not-exist',
      GATEHOUSE_DRAIN_SECONDS: '0',
    }
    const child = spawn(command, [...args, process.execPath, MAIN, 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    cleanups.push(() => child.kill('SIGKILL'))
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)))
    const ended = once(child, 'close') as Promise<[number | null]>
    const readyz = async () =>
      (await fetch(`${base}/readyz`).catch(() => undefined))?.status ?? (child.exitCode === null ? 0 : output)
    await expect.poll(readyz, { timeout: 240_000, interval: 100 }).toBe(200)
    expect(output).not.toMatch(/EROFS|EACCES/)
    child.kill('SIGTERM')
    expect((await ended)[0], output.slice(-2_000)).toBe(0)
  })
})
