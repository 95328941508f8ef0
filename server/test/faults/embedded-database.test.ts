import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { freeBytes } from '../../src/platform/db/disk-space.ts'
import { openLimits } from '../support/nodes.ts'
import { launchServer, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { testFolder } from '../support/temporary-folder.ts'

const MB = 1_048_576
const MOUNT = '/bin/mount'
const UNMOUNT = '/bin/umount'

let folder: string
const servers: ServerProcess[] = []
beforeEach(() => {
  folder = testFolder()
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.remove()
})

const started = async (dataDir: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> => {
  const server = await startServerProcess({ GATEHOUSE_DATA: dataDir, ...env })
  servers.push(server)
  return server
}

/** A chat, a listing of the admin API and one of the messaging API, each with a valid credential: their statuses. */
async function sendRequest({ base, demo }: ServerProcess, text: string): Promise<{ statuses: number[]; auditId: string | null }> {
  const { applications, admin_token } = demo()
  const send = async (path: string, token: string | undefined, body?: object): Promise<Response | undefined> => {
    try {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(base + path, { headers, signal: AbortSignal.timeout(20_000), ...init })
      await response.arrayBuffer()
      return response
    } catch {
      return undefined
    }
  }
  const messages = [{ role: 'user', content: text }]
  const [chat, admin] = await Promise.all([
    send('/v1/chat/completions', applications[0]?.api_key, { model: 'demo-mini', messages }),
    send('/admin/v1/applications', admin_token),
  ])
  return {
    statuses: [chat, admin].flatMap((response) => response?.status ?? []),
    auditId: chat?.status === 200 ? chat.headers.get('x-audit-id') : null,
  }
}

/** Runs a statement over the socket of the server's database, as the command line does. */
async function runSql({ dataDir }: ServerProcess, text: string): Promise<void> {
  const client = new pg.Client({ host: join(dataDir, 'run'), port: 5432, user: 'postgres', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  await client.query(text).finally(() => client.end())
}

const lastLine = (server: ServerProcess): string | undefined =>
  server
    .output()
    .split('\n')
    .findLast((line) => line.startsWith('gatehouse: '))

/** Sends requests until the process has ended. Returns all statuses, the audit ids of successful ones, and the results of `/readyz`. */
async function sendUntilExit(server: ServerProcess) {
  const statuses = new Set<number>()
  const readiness = new Set<string>()
  const auditIds: string[] = []
  const load = Array.from({ length: 4 }, async (_, actor) => {
    for (let i = 0; !server.own.hasEnded(); i++) {
      const answer = await sendRequest(server, `hello ${actor} ${i} ${'x'.repeat(2_000)}`)
      for (const status of answer.statuses) statuses.add(status)
      if (answer.auditId) auditIds.push(answer.auditId)
    }
  })
  const watch = (async () => {
    while (!server.own.hasEnded()) {
      const ready = await server.readyz()
      if (ready) readiness.add(`${ready.status} ${ready.body.status}`)
      await sleep(50)
    }
  })()
  await Promise.all([...load, watch])
  return { statuses, readiness, auditIds }
}

describe('embedded database that stops', { timeout: 240_000 }, () => {
  test('embedded database: server responds with 503 and ends with exit code 1 and the cause when the write-ahead log cannot be written', async () => {
    cpSync(inject('seededDataDir'), folder, { recursive: true })
    const server = await started(folder)
    await openLimits(server)
    const wal = join(folder, 'postgres', 'pg_wal')
    renameSync(wal, `${wal}.moved`)
    const asking = sendUntilExit(server)
    await runSql(server, 'create table filler (text text); select pg_switch_wal(); insert into filler values (1)').catch(() => {})
    const { statuses, readiness } = await asking
    expect(await server.exitCode()).toBe(1)
    expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
    expect([...readiness]).toContain('503 not ready')
    expect(lastLine(server)).toMatch(/the embedded database has stopped: could not .*pg_wal/)

    renameSync(`${wal}.moved`, wal)
    const again = await started(folder)
    expect((await sendRequest(again, 'hello again')).statuses).toEqual([200, 200])
  })

  test('embedded database: server ends within its limit and 45 s with a non-zero exit code when it is stopped and the database does not respond', async () => {
    cpSync(inject('seededDataDir'), folder, { recursive: true })
    const server = await started(folder, { GATEHOUSE_STOP_SECONDS: '3' })
    const busy = runSql(server, 'select count(*) from generate_series(1, 1000000000000)').catch(() => {})
    const failing = async () => {
      const ready = await server.readyz()
      expect([ready?.status, ready?.body.checks.find(({ name }) => name === 'database')?.status]).toEqual([503, 'fail'])
    }
    await vi.waitFor(failing, { timeout: 30_000, interval: 200 })
    const signalledAt = performance.now()
    expect(await server.stop()).not.toBe(0)
    expect(performance.now() - signalledAt).toBeLessThan(48_000)
    await busy
  })

  test('embedded database: server refuses to start and names the cause when the data folder cannot be written', async () => {
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const server = await launchServer({ GATEHOUSE_DATA: join(file, 'data'), GATEHOUSE_SECRET_KEY: 'x'.repeat(32) })
    servers.push(server)
    expect(await server.exitCode()).not.toBe(0)
    expect(lastLine(server)).toMatch(/data folder .* cannot be used/)
  })
})

/** Mounts a small file system; returns false without the permission to mount. */
function mountSmallDisk(at: string, megabytes: number): boolean {
  try {
    mkdirSync(at, { recursive: true })
    execFileSync(MOUNT, ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', at], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const probe = mkdtempSync(join(tmpdir(), 'gatehouse-mount-'))
const canMount = mountSmallDisk(probe, 1)
if (canMount) execFileSync(UNMOUNT, [probe])
rmSync(probe, { recursive: true, force: true })

describe.skipIf(!canMount)('embedded database on a full disk', { timeout: 400_000 }, () => {
  test('embedded database: server responds with 503 and loses no acknowledged record when the disk is full', async () => {
    const disk = join(folder, 'disk')
    expect(mountSmallDisk(disk, 160)).toBe(true)
    try {
      const dataDir = join(disk, 'data')
      cpSync(inject('seededDataDir'), dataDir, { recursive: true })
      const server = await started(dataDir)
      await openLimits(server)
      const before = (await sendRequest(server, 'hello before')).auditId
      // Half a megabyte is free, which is too little for the next segment of the write-ahead log.
      const { bavail, bsize } = statfsSync(disk)
      writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - MB / 2))
      await vi.waitFor(async () => expect((await server.readyz())?.status ?? 503).toBe(503), { timeout: 30_000, interval: 50 })
      const asking = sendUntilExit(server)
      for (let i = 0; i < 30 && !server.own.hasEnded(); i++) {
        await runSql(
          server,
          'select pg_switch_wal(); create table if not exists filler (text text); insert into filler values (1)',
        ).catch(() => {})
      }
      const { statuses, auditIds } = await asking
      expect(await server.exitCode()).toBe(1)
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
      expect(lastLine(server)).toMatch(/the embedded database has stopped: .*No space left on device/)

      const full = await launchServer({ GATEHOUSE_DATA: dataDir })
      servers.push(full)
      expect(await full.exitCode()).toBe(1)
      expect(lastLine(full)).toMatch(/0 MB are free, and the embedded database needs/)

      rmSync(join(disk, 'filler'))
      expect(freeBytes(disk)).toBeGreaterThan(32 * MB)
      const again = await started(dataDir)
      const { applications } = again.demo()
      const headers = { authorization: `Bearer ${applications[0]?.api_key}` }
      await openLimits(again)
      for (const id of [before, ...auditIds]) {
        const found = await fetch(`${again.base}/v1/audit/${id}`, { headers })
        expect({ id, status: found.status }).toEqual({ id, status: 200 })
        await found.arrayBuffer()
      }
      await again.own.kill()
    } finally {
      for (const server of servers) await server.own.kill()
      execFileSync(UNMOUNT, [disk])
    }
  })
})
