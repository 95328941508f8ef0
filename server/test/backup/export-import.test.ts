import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Environment } from '../../src/platform/config/environment.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { EXPORTED_TABLES } from '../../src/tools/backup/exported-tables.ts'
import { runCommandLine } from '../support/command-line.ts'
import { dumpExported } from '../support/compare-databases.ts'
import { postgresUrl } from '../support/database.ts'
import { listTables } from '../support/list-tables.ts'
import { mergeIndex } from '../support/merge-index.ts'
import { startMessagingServer } from '../support/messenger.ts'
import { ATTACHED, createDataFolder, createEverything } from '../support/own-data.ts'
import { createOwnDatabase } from '../support/own-database.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The index of a vector column is built again. */
const MAY_DIFFER = ['embedding_model.indexed']
const OTHER_KEY = 'another secret key, of the target of an import'

const source = createDataFolder(temporaryFolder())
const fileOf = (name: string): string => join(source.folder, name)
const whole = fileOf('whole.gz')
const sourceEnv = { GATEHOUSE_DATA: source.dataDir }

const cleanups: (() => Promise<unknown>)[] = []
const m = await startMessagingServer(sourceEnv)
await createEverything(m)
await mergeIndex(m.server.context.db)
// The server is running, and signs checkpoints only in jobs, which tests do not start.
expect(await runCommandLine(['export', whole], sourceEnv)).toMatchObject({
  code: 0,
  out: expect.stringMatching(/and 1 file$/m),
})
const expected = await dumpExported(m.server.context.database.pool, MAY_DIFFER)
afterAll(async () => {
  for (const cleanUp of cleanups.reverse()) await cleanUp()
  await m.close()
})

let targets = 0
/** The environment of a new and empty database. */
function emptyEmbedded(secretKey: string): Environment {
  const folder = fileOf(`target-${++targets}`)
  cpSync(inject('templateDataDir'), folder, { recursive: true })
  return { GATEHOUSE_DATA: folder, GATEHOUSE_SECRET_KEY: secretKey }
}
async function emptyPostgres(secretKey: string): Promise<Environment> {
  const database = await createOwnDatabase(postgresUrl() ?? '')
  cleanups.push(database.drop)
  return { ...emptyEmbedded(secretKey), DATABASE_URL: database.url }
}
const filesOf = ({ GATEHOUSE_DATA: folder = '' }: Environment): string[] =>
  existsSync(join(folder, 'files'))
    ? readdirSync(join(folder, 'files'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'utf8')] : [],
      )
    : []
async function dumpOf({ DATABASE_URL: url, GATEHOUSE_DATA: dataDir = '' }: Environment) {
  const database = await openDatabase({ url, dataDir, poolSize: 2, onError: () => {}, onProgress: () => {} })
  return dumpExported(database.pool, MAY_DIFFER).finally(() => database.close())
}

const kinds = [
  { name: 'embedded', open: async (key: string) => emptyEmbedded(key) },
  ...(postgresUrl() === null ? [] : [{ name: 'postgresql', open: emptyPostgres }]),
]

describe.each(kinds)('import into $name', { timeout: 240_000 }, ({ open }) => {
  test('import: every row and file of a whole server comes back equal, and the audit log verifies [ADM-KEY-3]', async () => {
    const target = await open(source.secretKey)
    const { code, out, err } = await runCommandLine(['import', whole], target)
    expect(code, err).toBe(0)
    expect(out).toMatch(/^demo: \d+ records? and \d+ checkpoints? verified/m)
    const imported = await dumpOf(target)
    // This PostgreSQL may have no extension vector.
    const { embedding_model: _, retrieval_vector: __, ...others } = expected
    expect(imported).toMatchObject(imported.retrieval_vector ? expected : others)
    for (const table of ['message', 'retrieval_list', 'message_reaction', 'review_item']) expect(expected[table]).not.toEqual([])
    expect(filesOf(target)).toEqual([ATTACHED])

    const back = emptyEmbedded(source.secretKey)
    const again = fileOf(`again-${targets}.gz`)
    expect(await runCommandLine(['export', again], target)).toMatchObject({ code: 0 })
    expect(await runCommandLine(['import', again], back)).toMatchObject({ code: 0 })
    expect(await dumpOf(back)).toMatchObject(others)
  })
})

describe('refused imports', () => {
  const lines = (): string[] => gunzipSync(readFileSync(whole)).toString().trimEnd().split('\n')
  const write = (name: string, content: string | Uint8Array): string => {
    writeFileSync(fileOf(name), content)
    return fileOf(name)
  }
  const writeLines = (name: string, content: readonly string[]): string => write(name, gzipSync(`${content.join('\n')}\n`))
  const altered = (): string[] => lines().map((line) => line.replace('quoted', 'queried'))
  /** An export without data from a version with another migration. */
  function newer(): string[] {
    const header = (lines()[0] ?? '').replace('"0001-identity"', '"0001-identity","9998-later"')
    const sha256 = createHash('sha256').update(`${header}\n`).digest('hex')
    return [header, JSON.stringify({ end: { tables: {}, files: 0, sha256 } })]
  }
  const refusals: readonly (readonly [string, () => string, RegExp])[] = [
    ['is cut', () => write('cut', readFileSync(whole).subarray(0, -2_000)), /damaged or cut/],
    ['has no end', () => writeLines('open', lines().slice(0, -1)), /ends too early/],
    ['was altered', () => writeLines('altered', altered()), /does not have the hash/],
    ['is not an export', () => writeLines('other', ['{"hello": 1}']), /not an export/],
    ['is not compressed', () => write('text', 'hello'), /not an export/],
    ['has a newer schema', () => writeLines('newer', newer()), /newer schema \(9998-later\)/],
    [
      'has secrets of another key',
      () => whole,
      /configured secret keys do not open a value of operator_second_factor|workspace\.hash_key/,
    ],
  ]
  let target: Environment
  beforeAll(() => {
    target = emptyEmbedded(OTHER_KEY)
  })

  test.each(refusals)('import: changes nothing when the file %s [ADM-KEY-3]', async (_, file, message) => {
    expect(await runCommandLine(['import', file()], target)).toMatchObject({ code: 1, err: expect.stringMatching(message) })
    expect(Object.values(await dumpOf(target)).flat()).toEqual([])
    expect(filesOf(target)).toEqual([])
  })

  test('import: changes nothing when the database is not empty', async () => {
    const before = await dumpExported(m.server.context.database.pool)
    const { code, err } = await runCommandLine(['import', whole], sourceEnv)
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('import into an empty database') })
    expect(await dumpExported(m.server.context.database.pool)).toEqual(before)
    expect(filesOf(sourceEnv)).toEqual([ATTACHED])
  })
})

test('exported tables: the list names every table of the database', async () => {
  const tables = await listTables(m.server.context.database.pool)
  expect(Object.keys(EXPORTED_TABLES).toSorted()).toEqual(tables.filter((name) => !name.startsWith('kysely')).toSorted())
})
