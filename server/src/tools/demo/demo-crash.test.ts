import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, watch } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, inject, test } from 'vitest'
import { testFolder } from '../../../test/support/temporary-folder.ts'
import type { DemoFile } from './demo-file.ts'

const GATEHOUSE = join(import.meta.dirname, '../../../../scripts/gatehouse')

let dataDir: string
beforeEach(() => {
  dataDir = testFolder(inject('templateDataDir'))
})

function launch(): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  const env = { PATH, HOME, GATEHOUSE_DATA: dataDir, PORT: '0', LOG_LEVEL: 'silent' }
  return spawn(GATEHOUSE, ['serve'], { cwd: dataDir, env, stdio: ['ignore', 'ignore', 'pipe'] })
}

/** Starts a server and kills it with SIGKILL as soon as it creates a file with a matching name. */
async function startAndKillAt(name: RegExp): Promise<void> {
  const child = launch()
  const watcher = watch(dataDir, (_, file) => {
    if (file !== null && name.test(file)) child.kill('SIGKILL')
  })
  const [, signal] = await once(child, 'exit')
  watcher.close()
  expect(signal).toBe('SIGKILL')
}

test('demo: next start completes the seeding when the first start was killed', { timeout: 240_000 }, async () => {
  await startAndKillAt(/^demo\.json\..+\.tmp$/)
  await startAndKillAt(/^demo\.json$/)

  const server = launch()
  await once(server.stderr ?? server, 'data')
  const { base_url, applications }: DemoFile = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'))
  for (const [key, status] of applications.flatMap((application) => [
    [application.api_key, 200] as const,
    [application.revoked_api_key, 401] as const,
  ])) {
    const response = await fetch(`${base_url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
    expect(response.status).toBe(status)
  }
  server.kill('SIGTERM')
  expect(await once(server, 'exit')).toEqual([0, null])
})
