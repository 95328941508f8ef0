import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Database, openDatabase } from './database.ts'
import { lockFolder } from './folder-lock.ts'

let dataDir: string
const opened: Database[] = []
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-embedded-'))
  cpSync(inject('templateDataDir'), dataDir, { recursive: true })
})
afterEach(async () => {
  for (const database of opened.splice(0).reverse()) await database.close()
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
})

const open = async (share = false): Promise<Database> => {
  const database = await openDatabase({ dataDir, poolSize: 2, share, onError: () => {}, onProgress: () => {} })
  opened.push(database)
  return database
}
const close = async (database: Database): Promise<void> => {
  opened.splice(opened.indexOf(database), 1)
  await database.close()
}
const answerOf = async ({ db }: Database): Promise<number | undefined> =>
  (await sql<{ answer: number }>`select 42 as answer`.execute(db)).rows[0]?.answer

describe('the embedded database of one folder', { timeout: 60_000 }, () => {
  test('a second server is refused, whatever it asks for first', async () => {
    await open()
    await expect(open()).rejects.toThrow(/another Gatehouse is running on/)
  })

  test('two servers that start at the same moment: one of them is refused', async () => {
    const results = await Promise.allSettled([open(), open()])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('a command joins the server that runs, sees what it wrote, and leaves it running', async () => {
    const server = await open()
    await sql`create table note (text text)`.execute(server.db)
    await sql`insert into note values ('from the server')`.execute(server.db)
    const command = await open(true)
    expect((await sql<{ text: string }>`select text from note`.execute(command.db)).rows).toEqual([{ text: 'from the server' }])
    await close(command)
    expect(await answerOf(server)).toBe(42)
  })

  test('commands that start together share one database without a server', async () => {
    const commands = await Promise.all([open(true), open(true), open(true)])
    expect(await Promise.all(commands.map(answerOf))).toEqual([42, 42, 42])
  })

  test('a command that is at work when the owner of the database ends is let finish', async () => {
    const owner = await open(true)
    const guest = await open(true)
    const work = guest.db.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx)
      await new Promise((resolve) => setTimeout(resolve, 300))
      return (await sql<{ answer: number }>`select 42 as answer`.execute(tx)).rows[0]?.answer
    })
    const ended = close(owner)
    expect(await work).toBe(42)
    await close(guest)
    await ended
  })

  test('once the owner has ended the folder is free', async () => {
    await close(await open())
    expect(await answerOf(await open())).toBe(42)
  })
})

test('a lock is free again when its holder lets go', () => {
  const unlock = lockFolder(dataDir)
  expect(unlock).toBeDefined()
  expect(lockFolder(dataDir)).toBeUndefined()
  unlock?.()
  const again = lockFolder(dataDir)
  expect(again).toBeDefined()
  again?.()
})
