import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runCommandLine } from '../../../test/support/command-line.ts'
import { startServer } from '../../../test/support/server.ts'
import { newId } from '../../platform/lib/id.ts'

const server = await startServer()
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-cli-'))
const file = join(folder, 'gatehouse.yaml')
writeFileSync(file, 'workspaces: [{ name: acme, applications: [{ name: support }] }]\n')
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

/** Runs a command while the server is running. */
const runCommand = (...args: string[]) => runCommandLine(args, { GATEHOUSE_DATA: server.config.dataDir })
expect(await runCommand('apply', file)).toMatchObject({ code: 0 })

test('audit verify and export: verify names the record when it was altered [GW-AUD-7]', async () => {
  expect(await runCommand('audit', 'verify')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^acme: \d+ records? and \d+ checkpoints? verified/m),
  })
  const { out } = await runCommand('audit', 'export', '--workspace', 'acme')
  const [header, , second] = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(header).toMatchObject({ object: 'audit_export' })
  expect(second).toMatchObject({ object: 'audit_record', change: { action: 'application.create' } })

  const { db } = server.context.database
  await db.updateTable('audit_record').set({ status: 500 }).where('body', 'like', `%${second.id}%`).execute()
  const tampered = await runCommand('audit', 'verify', '--workspace', 'acme')
  expect(tampered.code).toBe(1)
  expect(tampered.out).toBe(
    `acme: 1 record verified, then a fault: record 2 (${second.id}): the record was altered after it was sealed\n`,
  )
})

test('audit verify and resume: fail when a kept checkpoint or the log was altered, and resume accepts it on request', async () => {
  const { out } = await runCommand('audit', 'export', '--workspace', 'acme')
  const kept = join(folder, 'kept.ndjson')
  const [last = ''] = out.trim().split('\n').slice(-1)
  writeFileSync(kept, `${last}\n`)
  const signed = JSON.parse(last) as { size: number }
  // The previous test altered record 2.
  const refused = await runCommand('audit', 'resume', '--workspace', 'acme')
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/does not verify: record 2 .*--accept-as-found/) })
  const accepted = await runCommand('audit', 'resume', '--workspace', 'acme', '--accept-as-found')
  expect(accepted).toMatchObject({ code: 0, err: expect.stringMatching(/records up to \d+ are no longer checked \(aud_/) })
  const good = await runCommand('audit', 'verify', '--workspace', 'acme', '--kept', kept)
  expect(good).toMatchObject({ code: 0, out: expect.stringMatching(/were accepted by an operator and not checked\n$/) })
  expect(await runCommand('audit', 'resume', '--workspace', 'acme')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/signing was not stopped/),
  })
  const later = await runCommand('audit', 'export', '--workspace', 'acme')
  const [newest = ''] = later.out.trim().split('\n').slice(-1)
  expect(JSON.parse(newest).size).toBeGreaterThan(signed.size)
  writeFileSync(kept, `${last}\n${newest}\n`)
  expect(await runCommand('audit', 'verify', '--workspace', 'acme', '--kept', kept)).toMatchObject({ code: 0 })
  writeFileSync(kept, newest.replace('"size":', '"size":1'))
  const altered = await runCommand('audit', 'verify', '--workspace', 'acme', '--kept', kept)
  expect(altered).toMatchObject({
    code: 1,
    err: expect.stringMatching(/a kept checkpoint .* was altered or signed with another key/),
  })
  // Checkpoints of a Workspace that is not in the database.
  const id = JSON.parse(last ?? '').workspace_id as string
  const other = newId('ws')
  writeFileSync(kept, `${last}\n${last?.replace(id, other)}\n`)
  expect(await runCommand('audit', 'verify', '--workspace', 'acme', '--kept', kept)).toMatchObject({ code: 0 })
  const gone = await runCommand('audit', 'verify', '--kept', kept)
  expect(gone).toMatchObject({ code: 1, err: expect.stringContaining(other) })
  writeFileSync(kept, `${last?.replace(id, other)}\n`)
  const unrelated = await runCommand('audit', 'verify', '--workspace', 'acme', '--kept', kept)
  expect(unrelated).toMatchObject({ code: 1, err: expect.stringContaining('no kept checkpoint belongs to acme') })
  writeFileSync(kept, 'nothing')
  const useless = await runCommand('audit', 'verify', '--kept', kept)
  expect(useless).toMatchObject({ code: 1, err: expect.stringMatching(/line 1 is not an audit checkpoint/) })
})
