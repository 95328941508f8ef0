import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Environment } from '../../src/platform/config/environment.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { runCommandLine } from '../support/command-line.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { startMessagingServer } from '../support/messenger.ts'
import { ATTACHED, createDataFolder, createEverything } from '../support/own-data.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const source = createDataFolder(temporaryFolder())
const sourceEnv = { GATEHOUSE_DATA: source.dataDir }
const file = join(source.folder, 'server.backup.gz')

const m = await closeAfterAll(startMessagingServer(sourceEnv))
await createEverything(m)

/** The environment of an empty data folder. */
function emptyTarget(name: string, secretKey = source.secretKey): Environment {
  const dataDir = join(source.folder, name)
  mkdirSync(dataDir)
  return { GATEHOUSE_DATA: dataDir, GATEHOUSE_SECRET_KEY: secretKey }
}
const auditIdsIn = async ({ GATEHOUSE_DATA: dataDir = '' }: Environment): Promise<Set<string>> => {
  const database = await openDatabase({ dataDir, poolSize: 1, onError: () => {}, onProgress: () => {} })
  const { rows } = await database.pool.query<{ body: string }>('select body from audit_record')
  await database.close()
  return new Set(rows.map(({ body }) => String(JSON.parse(body).id)))
}

test('backup: a copy of a busy server has every acknowledged record, and its audit log verifies [ADM-KEY-5]', {
  timeout: 240_000,
}, async () => {
  const acknowledged: string[] = []
  let isDone = false
  const write = async (): Promise<void> => {
    while (!isDone) acknowledged.push(expectSuccess((await m.sendPrompt()).response).governance.audit_id)
  }
  const writers = [write(), write()]
  await expect.poll(() => acknowledged.length).toBeGreaterThan(4)
  const before = [...acknowledged]
  expect(await runCommandLine(['backup', file], sourceEnv)).toMatchObject({
    code: 0,
    out: expect.stringContaining('is complete'),
  })
  const during = acknowledged.length - before.length
  isDone = true
  await Promise.all(writers)
  expect(during).toBeGreaterThan(0)
  expect(readdirSync(source.folder).filter((name) => /partial|copy/.test(name))).toEqual([])

  const target = emptyTarget('restored')
  const { code, out, err } = await runCommandLine(['restore', file], target)
  expect(code, err).toBe(0)
  expect(out).toMatch(/^demo: \d+ records? and \d+ checkpoints? verified/m)
  expect(out).toMatch(/1 attachment were restored$/m)
  const ids = await auditIdsIn(target)
  expect(before.filter((id) => !ids.has(id))).toEqual([])
  const files = readdirSync(join(source.folder, 'restored', 'files'), { recursive: true, withFileTypes: true })
  expect(
    files.filter((entry) => entry.isFile()).map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')),
  ).toEqual([ATTACHED])
  const again = await runCommandLine(['restore', file], target)
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('has a database already') })
})

test('restore: completes what an interrupted restore has begun', async () => {
  const target = emptyTarget('interrupted')
  const restoring = join(target.GATEHOUSE_DATA ?? '', 'restoring', 'postgres')
  // The process ended while the attachments were stored.
  mkdirSync(restoring, { recursive: true })
  writeFileSync(join(restoring, 'PG_VERSION'), '17')
  const { code, out, err } = await runCommandLine(['restore', file], target)
  expect(code, err).toBe(0)
  expect(out).toMatch(/1 attachment were restored$/m)
  expect(readdirSync(target.GATEHOUSE_DATA ?? '').toSorted()).toEqual(['files', 'postgres'])
})

test('restore: the database appears only with its attachments', async () => {
  const target = emptyTarget('without-files')
  writeFileSync(join(target.GATEHOUSE_DATA ?? '', 'files'), 'no folder for attachments')
  const { code } = await runCommandLine(['restore', file], target)
  expect(code).toBe(1)
  expect(readdirSync(target.GATEHOUSE_DATA ?? '')).toEqual(['files'])
})

test('restore: leaves the folder empty when the file is damaged or the secret key is another', async () => {
  const damaged = join(source.folder, 'damaged.gz')
  writeFileSync(damaged, readFileSync(file).subarray(0, -1_000))
  const target = emptyTarget('damaged')
  expect(await runCommandLine(['restore', damaged], target)).toMatchObject({
    code: 1,
    err: expect.stringContaining('damaged or cut'),
  })
  expect(readdirSync(target.GATEHOUSE_DATA ?? '')).toEqual([])
  const other = emptyTarget('other', 'another secret key, which the backup does not have')
  expect(await runCommandLine(['restore', file], other)).toMatchObject({
    code: 1,
    err: expect.stringContaining('set GATEHOUSE_SECRET_KEY'),
  })
  expect(readdirSync(other.GATEHOUSE_DATA ?? '')).toEqual([])
})
