import OpenAI from 'openai'
import { expect, test } from 'vitest'
import { SEALED_COLUMNS } from '../../src/domains/keys/sealed-columns.ts'
import { sourceContext } from '../../src/domains/knowledge/source-store.ts'
import { loadProviders } from '../../src/domains/providers/provider-store.ts'
import { toId } from '../../src/platform/lib/id.ts'
import { secretBox, secretKeyId } from '../../src/platform/lib/secret-box.ts'
import { adminClient } from '../admin/client.ts'
import { closeAfterTest } from '../support/close-after-all.ts'
import { runCommandLine } from '../support/command-line.ts'
import { startGoverned } from '../support/governed.ts'
import { listTables } from '../support/list-tables.ts'
import { Browser, PASSWORD, signInOperator, totp } from '../support/operators.ts'
import { createDataFolder, createSealedValues } from '../support/own-data.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const NOT_SEALED =
  /^(hash|prev_hash|head_hash|root|frontier|signature|previous|previous_signature|seal|sha256|fingerprint|request_hash|content_hash|postings|packed|file)$/

const NEW_KEY = 'a new secret key of the operator, 40 characters'
const data = createDataFolder(temporaryFolder())
const idOf = (key: string): string => secretKeyId(Buffer.from(key))
const rotating = { GATEHOUSE_DATA: data.dataDir, GATEHOUSE_SECRET_KEY: NEW_KEY, GATEHOUSE_OLD_SECRET_KEYS: data.secretKey }
const rotated = { GATEHOUSE_DATA: data.dataDir, GATEHOUSE_SECRET_KEY: NEW_KEY }

const governed = await startGoverned({ GATEHOUSE_DATA: data.dataDir })
const values = await createSealedValues(governed)
const operator = await enableSecondFactor(governed.server)
await governed.close()

async function enableSecondFactor(server: TestServer): Promise<{ email: string; uri: string }> {
  const { email, browser } = await signInOperator(server, 'auditor')
  const { totpURI: uri } = (await browser.post('/auth/two-factor/enable', { password: PASSWORD })).body
  const verify = () => browser.post('/auth/two-factor/verify-totp', { code: totp(uri, Date.now() - 30_000) })
  const first = await verify()
  // A period may have begun meanwhile: then the code was too old.
  const verified = first.status === 200 ? first : await verify()
  expect(verified.status, verified.text).toBe(200)
  return { email, uri }
}

async function signInWithSecondFactor(server: TestServer, at: number): Promise<number> {
  const browser = new Browser(server.base)
  await browser.signIn(operator.email)
  return (await browser.post('/auth/two-factor/verify-totp', { code: totp(operator.uri, at) })).status
}

/** Reads each kind of sealed value. */
async function expectReadable({ base, context, demo, ...server }: TestServer): Promise<void> {
  const admin = adminClient({ base, demo })
  expect(JSON.stringify(await admin.get(`/reviews/${values.held.id}`))).toContain(values.held.prompt)
  const client = new OpenAI({ apiKey: values.responsesToken, baseURL: `${base}/v1`, maxRetries: 0 })
  expect((await client.responses.retrieve(values.responseId)).id).toBe(values.responseId)
  const { providerBox: box, webhookBox, sourceBox, database } = context
  const providers = await loadProviders(database.db, demo.workspace.id, { box, environment: () => '', allowPrivateUrls: true })
  expect(providers.find(({ id }) => id === 'sealed')?.apiKey).toBe('sk-sealed-provider-key')
  const { secret } = await database.db.selectFrom('webhook').select('secret').executeTakeFirstOrThrow()
  expect(webhookBox.open(secret, values.webhookId)).toMatch(/^whsec_/)
  const source = await database.db.selectFrom('knowledge_source').select(['id', 'url', 'secret']).executeTakeFirstOrThrow()
  const sourceSecret = sourceBox.open(source.secret ?? Buffer.alloc(0), sourceContext(toId('src', source.id), source.url))
  expect(sourceSecret).toBe('sealed source secret')
  const env = { GATEHOUSE_DATA: server.config.dataDir, GATEHOUSE_SECRET_KEY: NEW_KEY, GATEHOUSE_OLD_SECRET_KEYS: data.secretKey }
  expect(await runCommandLine(['audit', 'verify'], env)).toMatchObject({ code: 0 })
}

/** Columns of bytes that are not hashes, signatures or search data. */
async function findSealedColumns({ context }: TestServer): Promise<string[]> {
  const { rows } = await context.database.pool.query<{ name: string; column: string }>(
    `select table_name || '.' || column_name as name, column_name as column from information_schema.columns
     where table_schema = 'public' and data_type = 'bytea' and table_name = any($1)`,
    [await listTables(context.database.pool)],
  )
  return rows
    .filter(({ column }) => !NOT_SEALED.test(column))
    .map(({ name }) => name)
    .toSorted()
}

test('rotation: a server with the new key and the old one reads everything, and rotate leaves nothing to the old key [ADM-KEY-1]', async () => {
  const server = await closeAfterTest(startServer(rotating))
  await expectReadable(server)
  const before = await runCommandLine(['keys', 'status'], rotating)
  expect(before.out).toMatch(new RegExp(`^${idOf(data.secretKey)}  old +[1-9]`, 'm'))
  expect(await signInWithSecondFactor(server, Date.now())).toBe(200)

  const { code, out, err } = await runCommandLine(['keys', 'rotate'], rotating)
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('remove the old keys') })
  expect(out).toMatch(new RegExp(`^${idOf(data.secretKey)}  old +0$`, 'm'))
  await expectReadable(server)
  const { keys, counted_at } = await adminClient(server).get('/secret-keys')
  expect(keys).toMatchObject([
    { id: idOf(NEW_KEY), state: 'current' },
    { id: idOf(data.secretKey), state: 'old', values: 0 },
  ])
  expect(keys[0].values).toBeGreaterThan(5)
  expect(Date.parse(counted_at)).toBeGreaterThan(0)
})

test('rotation: a server with the new key alone reads everything after it [ADM-KEY-1]', async () => {
  const server = await closeAfterTest(startServer(rotated))
  await expectReadable(server)
  expect(await signInWithSecondFactor(server, Date.now() + 30_000)).toBe(200)
  const { context } = server
  for (const { table, column, purpose } of SEALED_COLUMNS) {
    const { rows } = await context.database.pool.query(`select ${column} as sealed from ${table} where ${column} is not null`)
    expect(rows.length, `${table}.${column} has a value to test`).toBeGreaterThan(0)
    const old = secretBox(Buffer.from(data.secretKey), purpose)
    for (const { sealed } of rows) expect(old.sealedBy(sealed, '')).toBeUndefined()
  }
  expect(await findSealedColumns(server), 'sealed-columns.ts lists every sealed column of the schema').toEqual(
    SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted(),
  )
})

test('rotate: fails with the settings to change when there is no old key', async () => {
  const { code, err } = await runCommandLine(['keys', 'rotate'], rotated)
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('set GATEHOUSE_SECRET_KEY to the new key') })
})
