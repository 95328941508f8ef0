import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedMessagingServer } from '../support/shared-server.ts'
import { hostileText, mutated } from './arbitraries.ts'
import { caseChecker, type HttpCase, injectCase, SEED, SHARE } from './generated-cases.ts'

const FORM = 'application/x-www-form-urlencoded'

const messenger = await closeAfterAll(sharedMessagingServer())
const conversation = await messenger.direct()
const message = (await messenger.say(conversation)).id

type Case = Omit<HttpCase, 'headers'> & { readonly type?: string }

const send = async ({ path, type = FORM, ...more }: Case): Promise<number> =>
  (
    await injectCase(messenger.server.app, messenger.ann.token, {
      path: `/v1${path}`,
      headers: { 'content-type': type },
      ...more,
    })
  ).status
const cases = caseChecker(send, { atOnce: 50, limitMs: 570_000 })

const WRITES = [
  ['POST', () => '/conversations'],
  ['PUT', () => `/conversations/${conversation}`],
  ['POST', () => `/conversations/${conversation}/read`],
  ['POST', () => '/messages'],
  ['PUT', () => `/messages/${message}`],
  ['POST', () => '/groups'],
  ['PUT', () => `/contacts/${messenger.ann.id}`],
] as const

/** Sends a body to every endpoint with a body; returns the distinct statuses. */
const sendToAll = async (body: string | Buffer, type?: string): Promise<number[]> => {
  const statuses = await Promise.all(WRITES.map(([method, path]) => send({ method, path: path(), body, ...(type && { type }) })))
  return [...new Set(statuses)]
}

describe('malformed bodies', () => {
  const nested = (depth: number) => `reactions${'[a]'.repeat(depth)}=x`
  test.each<[string, string | Buffer]>([
    ['a repeated scalar', 'message=a&message=b'],
    ['a repeated scalar, once encoded', 'message=a&%6Dessage=b'],
    ['a scalar and a list', 'message=a&message[]=b'],
    ['a list and a scalar', 'message[]=a&message=b'],
    ['a scalar and a map', 'message=a&message[x]=b'],
    ['a list and a map', 'attachments[]=a&attachments[x]=b'],
    ['a repeated field in a map', 'reactions[a]=x&reactions[a]=y'],
    ['10,000 fields', Array.from({ length: 10_000 }, (_, index) => `f${index}=x`).join('&')],
    ['10,000 items', Array.from({ length: 10_000 }, () => 'attachments[]=x').join('&')],
    ['10,000 numbered items', Array.from({ length: 10_000 }, (_, index) => `attachments[${index}]=x`).join('&')],
    ['nesting', nested(40)],
    ['nesting beyond all measure', nested(50_000)],
    ['lists of lists', 'attachments[][][]=x'],
    ['__proto__', '__proto__=x&message=a'],
    ['__proto__ in brackets', 'reactions[__proto__][]=x'],
    ['__proto__ beneath', 'reactions[a][__proto__]=x'],
    ['__proto__, encoded', 'reactions%5B%5F%5Fproto__%5D%5B%5D=x'],
    ['constructor', 'reactions[constructor][prototype]=x'],
    ['prototype', 'reactions[prototype][]=x'],
    ['a percent sign alone', 'message=100%'],
    ['half an escape', 'message=%4'],
    ['no escape', 'message=%zz'],
    ['an escape in a name', '%=x'],
    ['an overlong encoding', 'message=%C0%AF'],
    ['half a character', 'message=%F0%9F%A6'],
    ['a surrogate', 'message=%ED%A0%80'],
    ['bytes that are no UTF-8', Buffer.from([0x6d, 0x3d, 0xff, 0xfe, 0x80])],
    ['an open bracket', 'reactions[a=x'],
    ['a closing bracket', 'reactions]a[=x'],
    ['brackets inside out', 'reactions[a]b[c]=x'],
    ['a name of brackets', '[][]=x'],
    ['nothing but separators', '&&&&&='],
    ['a NUL in the text', 'message=a%00b&display_name=%00&name=%00&contact_id=%00&message_id=%00&pinned_message_id=%00'],
    ['a NUL in a name', 'reactions[%00][]=x&message=&name=&contact_id=%00&is_muted=%00&message_id=%00&phone_number=%00'],
    ['JSON in a form', '{"message":"x"}'],
    ['a list with gaps', 'attachments[0]=x&attachments[2000000000]=y'],
    ['negative and odd places', 'attachments[-1]=x&attachments[1e9]=y'],
  ])('hostile forms: no endpoint responds with 5xx and no message is sent when the form has %s', async (_, body) => {
    for (const status of await sendToAll(body)) expect([200, 201, 400, 404, 413]).toContain(status)
    const sent = Buffer.concat([Buffer.from(`conversation_id=${conversation}&`), Buffer.from(body)])
    const before = await messenger.texts(conversation)
    expect([400, 413]).toContain(await send({ method: 'POST', path: '/messages', body: sent }))
    expect(await messenger.texts(conversation)).toEqual(before)
  })
  test.each(['iso-8859-1', 'utf-16', 'x', '"utf-7"'])(
    'hostile forms: request gets 415 or 400 when the charset is %s',
    async (charset) => {
      const body = `conversation_id=${conversation}&message=caf%E9`
      expect([400, 415]).toContain(await send({ method: 'POST', path: '/messages', body, type: `${FORM}; charset=${charset}` }))
      expect([400, 415]).toContain(
        await send({ method: 'POST', path: '/messages', body: '{}', type: `application/json; charset=${charset}` }),
      )
    },
  )
  test.each([
    ['deep JSON', `{"reactions":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
    ['wide JSON', `{"reactions":{${Array.from({ length: 10_000 }, (_, index) => `"n${index}":["x"]`).join()}}}`],
    ['__proto__ in JSON', '{"message":"x","reactions":{"__proto__":["x"]}}'],
    ['a text instead of an object', '"message"'],
    ['a list instead of an object', '[{"message":"x"}]'],
    ['null', 'null'],
    ['half a body', '{"message":'],
    ['half a surrogate pair', '{"message":"\\ud800"}'],
    ['a NUL', '{"message":"a\\u0000b"}'],
    ['a number beyond all', '{"archived_at":1e400,"message":1e400}'],
  ])('hostile forms: request gets 400 when the body is %s', async (_, body) => {
    const statuses = await sendToAll(body, 'application/json')
    for (const status of statuses) expect([200, 400]).toContain(status)
    expect(await send({ method: 'PUT', path: `/messages/${message}`, body, type: 'application/json' })).toBe(400)
  })
  test('hostile forms: request gets 413 when the body is above the limit', async () => {
    expect(await sendToAll(`message=${'x'.repeat(1_100_000)}`)).toEqual([413])
  })
  test('hostile forms: Object.prototype is unchanged', () => {
    expect(Object.keys(Object.prototype)).toEqual([])
    expect(({} as Record<string, unknown>).x).toBeUndefined()
  })
})

/** Parts of field names, valid and malformed. */
const part = fc.oneof(
  fc.constantFrom('', '0', '1', 'a', 'heart', '__proto__', 'constructor', ']', '[', '%', '%5B', '%00', '-1', '99999999999'),
  hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
)
const name = fc
  .tuple(
    fc.constantFrom(
      ...['message', 'conversation_id', 'contact_id', 'group_id', 'reactions', 'attachments', 'is_muted', 'archived_at'],
      ...['distinct', 'pinned_message_id', 'message_id', 'name', 'contacts', 'display_name', 'avatar_url', 'x', ''],
    ),
    fc.array(part, { maxLength: 4 }),
  )
  .map(([first, parts]) => first + parts.map((one) => `[${one}]`).join(''))
const value = fc.oneof(
  hostileText.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ maxLength: 20 }),
  fc.constantFrom('true', '0', '', '1700000000', '-1', '1e9', 'rowan-deny', 'rowan-hold', 'rowan-redact a%40b.org', '%', '+'),
)
const form = fc
  .array(fc.tuple(name, value), { maxLength: 8 })
  .map((pairs) => pairs.map(([key, text]) => `${key}=${text}`).join('&'))
const place = fc.constantFrom(...WRITES)

describe(`generated forms (FUZZ_SEED=${SEED})`, { timeout: 600_000 }, () => {
  test('hostile forms: response is a success or the error envelope when the form is random', async () => {
    await cases.check(
      fc.tuple(place, form).map(([[method, path], body]) => ({ method, path: path(), body })),
      2_000,
    )
  })
  test('hostile forms: response is a success or the error envelope when a message is nearly valid', async () => {
    await cases.check(
      fc.tuple(value, form).map(([text, more]) => ({
        method: 'POST',
        path: '/messages',
        body: `conversation_id=${conversation}&message=${text}&${more}`,
      })),
      500,
    )
  })
  test('hostile forms: response is a success or the error envelope when bytes of a form are changed', async () => {
    await cases.check(
      fc
        .tuple(place, mutated(form.map((body) => `conversation_id=${conversation}&message=x&reactions[heart][]=y&${body}`)))
        .map(([[method, path], body]) => ({ method, path: path(), body })),
      1_500,
    )
  })
  test('hostile forms: response is a success or the error envelope when path and query are random', async () => {
    const kind = fc.constantFrom('conversations', 'messages', 'contacts', 'groups', 'messages/search', 'avatars')
    const where = fc.tuple(
      kind,
      part,
      fc.constantFrom('limit', 'starting_after', 'ending_before', 'q', 'muted', 'conversation_id'),
      value,
    )
    await cases.check(
      where.map(([folder, id, key, text]) => ({
        method: 'GET',
        path: `/${folder}/${id.replace(/[^\w%.~-]/g, '')}?${key}=${encodeURIComponent(text.toWellFormed())}`,
        body: '',
      })),
      1_000,
    )
  })
  test(`hostile forms: server responds normally after at least ${5_000 * SHARE} cases of many kinds`, async () => {
    expect(cases.sent()).toBeGreaterThanOrEqual(5_000 * SHARE)
    expect([...cases.seen.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404]))
    const said = await messenger.say(conversation, 'still here')
    expect(said.message).toBe('still here')
    expect(messenger.server.logs()).not.toMatch(/"level":(50|60)/)
  })
})
