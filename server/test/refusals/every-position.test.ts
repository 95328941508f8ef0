import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { dumpTables } from '../support/dump-tables.ts'
import { MAXIMAL_REQUESTS } from '../support/maximal/requests.ts'
import { withValueEverywhere } from '../support/mutations.ts'
import { startOwnUpstreams } from '../support/three-upstreams.ts'

const tokens: Record<string, string> = {}
const fixture = await closeAfterAll(startOwnUpstreams())
const { governed, providers } = fixture
await governed.publish([{ id: 'redact', at: ['input'], when: 'true', transforms: ['redact:pii'] }])
for (const unknown_fields of ['name', 'carry']) {
  const settings = { extensions: ['tools', 'content_parts', 'developer_role'], unknown_fields }
  tokens[unknown_fields] = (await governed.application({ settings })).token
}
/** The bodies that all providers have received since the last call. */
const takeReceived = (): readonly string[] =>
  Object.values(providers).flatMap(({ calls }) => calls.splice(0).map(({ raw }) => raw))

/** A test sends hundreds of requests. */
const SLOW_MS = 300_000

/** Records that responses named. */
const audited = new Set<string>()

async function countRecords(): Promise<number> {
  const { rows } = await fixture.governed.server.context.database.pool.query(
    'select count(*)::integer as count from audit_record',
  )
  return rows[0].count
}
/** Records of the set-up. */
const recordedBefore = await countRecords()

const NAME = 'ottilie.brandt'
const ADDRESS = `${NAME}@example.com`

/** The texts as they are, and with their longer words read as base64 and as hexadecimal. */
function readable(raws: readonly string[]): string {
  const decoded = (words: RegExp, encoding: 'base64' | 'hex') =>
    raws.flatMap((raw) => [...raw.matchAll(words)].map(([word]) => Buffer.from(word, encoding).toString()))
  return [...raws, ...decoded(/[A-Za-z0-9+/_-]{16,}/g, 'base64'), ...decoded(/[0-9a-f]{16,}/g, 'hex')].join('\n')
}

describe.each(MAXIMAL_REQUESTS)('$api to the model $model', ({ path, model, body }) => {
  // Only a provider of the client's own API gets blocks and items of unknown types.
  const forms = ['/v1/messages claude', '/v1/responses gpt'].includes(`${path} ${model}`) ? ['name', 'carry'] : ['name']
  const send = async (json: unknown, unknownFields: string) => {
    const options = { token: tokens[unknownFields] ?? '', headers: { 'anthropic-version': '2023-06-01' } }
    takeReceived()
    const { status, text, headers } = await fixture.governed.post(path, json, options)
    const auditId = headers.get('x-audit-id')
    if (auditId !== null) audited.add(auditId)
    return { status, text, received: readable(takeReceived()) }
  }

  test('maximal request: reaches the provider', async () => {
    const { status, text, received } = await send(body, 'name')
    expect({ status, text }).toEqual({ status: 200, text })
    expect(text).not.toContain('is not a field that the gateway knows')
    expect(received).toContain('Good morning')
  })

  test.each(forms)(
    'redaction: no place of a request escapes it when unknown_fields is %s',
    { timeout: SLOW_MS },
    async (unknown) => {
      const escaped: string[] = []
      let redacted = 0
      for (const { at, value } of withValueEverywhere(body, ADDRESS)) {
        const { status, received } = await send(value, unknown)
        if (status >= 500 || received.includes(NAME)) escaped.push(`${at}: ${status}`)
        if (received.includes('[EMAIL]')) redacted += 1
      }
      expect(escaped).toEqual([])
      expect(redacted).toBeGreaterThan(2)
    },
  )
})

test('records and logs: have one record for each admitted request, and none of the texts', async () => {
  const { logs, context } = fixture.governed.server
  const texts = (await dumpTables(context.database.pool)).map(({ table, column, text }) => ({ at: `${table}.${column}`, text }))
  const hex = Buffer.from(NAME).toString('hex')
  expect(texts.filter(({ text }) => text.includes(NAME) || text.includes(hex)).map(({ at }) => at)).toEqual([])
  expect(logs()).not.toContain(NAME)
  expect((await countRecords()) - recordedBefore).toBe(audited.size)
})
