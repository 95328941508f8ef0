import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { hostileText } from '../../fuzz/arbitraries.ts'
import { createMembers, type Member } from '../../messaging/client.ts'
import { word } from '../../support/scripted-provider.ts'
import { messenger, unknown } from './shared-messenger.ts'

/** Of the cases, the share that a run takes. */
const SHARE = inject('isFull') ? 1 : 0.2

type Fields = Readonly<Record<string, unknown>>

/** `{a: {b: ['x']}}` → `a[b][]=x`, names and values percent-encoded; null is the empty text (MSG-BODY-4). */
function encoded(fields: Fields): string {
  const pairs = (name: string, value: unknown): string[] => {
    if (Array.isArray(value)) {
      if (value.length === 0) return [`${name}=`]
      const nested = value.some((item) => typeof item === 'object' && item !== null)
      return value.flatMap((item, index) => pairs(`${name}[${nested ? index : ''}]`, item))
    }
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).flatMap(([key, item]) => pairs(`${name}[${encodeURIComponent(key)}]`, item))
    }
    return [`${name}=${encodeURIComponent(value === null ? '' : String(value))}`]
  }
  return Object.entries(fields)
    .flatMap(([name, value]) => pairs(encodeURIComponent(name), value))
    .join('&')
}

/** Values that both formats can express: well-formed Unicode, and names without brackets. */
const text = hostileText.map((value) => value.toWellFormed())
const name = text
  .map((value) => value.replace(/[[\]]/g, '') || 'x')
  .filter((value) => !['__proto__', 'constructor'].includes(value))
const truth = fc.constantFrom(true, false, 1, 0, 'true', 'false', '1', '0', 'maybe', '', 2)
const orNull = <T>(right: fc.Arbitrary<T>) => fc.oneof({ weight: 6, arbitrary: right }, fc.constantFrom(null, ''))
const reactionMap = fc.dictionary(name, fc.array(text, { minLength: 1, maxLength: 3 }), { minKeys: 1, maxKeys: 4 })

/** Objects in two equal copies: JSON requests change one copy, forms the other. */
interface Twin {
  readonly conversation: string
  readonly message: string
  readonly group: string
  readonly owner: Member
}
const twin = async (owner: Member): Promise<Twin> => {
  const conversation = await messenger.direct(owner, messenger.ben)
  const { id: group } = await owner.create('/groups', { name: 'Twins', contacts: [messenger.ben.id] })
  return { conversation, message: (await messenger.say(conversation, 'twin', owner)).id, group, owner }
}
// Members of their own, because their profiles change.
const { json, form } = await createMembers(messenger.server, ['json', 'form'])
const twins = { json: await twin(json), form: await twin(form) }

interface Row {
  readonly method: string
  readonly path: (twin: Twin) => string
  readonly fields: fc.Arbitrary<(twin: Twin) => Fields>
}
const forEitherCopy = (fields: fc.Arbitrary<object>) => fields.map((value) => () => value as Fields)
const optionalFields = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(model, { requiredKeys: [] })

const ROWS: Readonly<Record<string, Row>> = {
  'POST /v1/conversations': {
    method: 'POST',
    path: () => '/conversations',
    fields: optionalFields({
      contact: fc.constantFrom('ben', 'unknown', '', null, 'none'),
      group: fc.constantFrom('twin', unknown('grp'), '', null, 'none', 'none'),
      distinct: truth,
    }).map(({ contact = 'none', group = 'none', distinct }) => (twin) => ({
      ...(contact !== 'none' && { contact_id: contact === 'ben' ? messenger.ben.id : contact }),
      ...(group !== 'none' && { group_id: group === 'twin' ? twin.group : group }),
      ...(distinct !== undefined && { distinct }),
    })),
  },
  'PUT /v1/conversations/:id': {
    method: 'PUT',
    path: ({ conversation }) => `/conversations/${conversation}`,
    fields: optionalFields({
      pin: fc.constantFrom('twin', unknown('msg'), '', null, 'x'),
      is_pinned: truth,
      is_muted: truth,
      archived_at: fc.constantFrom(1_700_000_000, '1700000000', 0, -1, 1.5, 'soon', '', null, 1e15),
    }).map(({ pin, ...rest }) => ({ message }) => ({
      ...(pin !== undefined && { pinned_message_id: pin === 'twin' ? message : pin }),
      ...rest,
    })),
  },
  'POST /v1/conversations/:id/read': {
    method: 'POST',
    path: ({ conversation }) => `/conversations/${conversation}/read`,
    fields: optionalFields({ up: fc.constantFrom('twin', unknown('msg'), '', null, 'x') }).map(({ up }) => ({ message }) => ({
      ...(up !== undefined && { message_id: up === 'twin' ? message : up }),
    })),
  },
  'POST /v1/messages': {
    method: 'POST',
    path: () => '/messages',
    fields: optionalFields({ message: text, attachments: fc.constantFrom('', null, [], ['x'], [{ id: 'x' }], 'x') }).map(
      (fields) =>
        ({ conversation }) => ({ conversation_id: conversation, ...fields }),
    ),
  },
  'PUT /v1/messages/:id': {
    method: 'PUT',
    path: ({ message }) => `/messages/${message}`,
    fields: forEitherCopy(
      optionalFields({
        message: text,
        reactions: fc.oneof(reactionMap, fc.array(reactionMap, { minLength: 1, maxLength: 2 }), fc.constantFrom('', 'x', {})),
      }).map(({ reactions, ...rest }) => ({
        ...rest,
        // A form can write an empty map only as the empty text.
        ...(reactions !== undefined && { reactions: JSON.stringify(reactions) === '{}' ? '' : reactions }),
      })),
    ),
  },
  'POST /v1/groups': {
    method: 'POST',
    path: () => '/groups',
    fields: forEitherCopy(
      optionalFields({
        name: text,
        description: text,
        avatar_url: orNull(fc.constantFrom('https://example.org/a.png', 'nonsense', 'javascript:x')),
        contacts: fc.constantFrom('', ['unknown'], ['x', 'y']),
      }),
    ),
  },
  'PUT /v1/contacts/:id': {
    method: 'PUT',
    path: ({ owner }) => `/contacts/${owner.id}`,
    fields: forEitherCopy(
      optionalFields({
        display_name: orNull(text),
        phone_number: orNull(fc.constantFrom('+49 30 1', '0', 'x', '+')),
        avatar_url: orNull(fc.constantFrom('https://example.org/a.png', 'nonsense')),
      }),
    ),
  },
}

describe('form and JSON: the same values have the same effect [MSG-BODY-1, MSG-BODY-3, MSG-BODY-4]', () => {
  test.each(Object.entries(ROWS))('%s', async (_, { method, path, fields }) => {
    const statuses = new Set<number>()
    const sent = async (as: 'json' | 'form', make: (twin: Twin) => Fields) => {
      const copy = twins[as]
      const values = make(copy)
      const raw = as === 'json' ? JSON.stringify(values) : encoded(values)
      const type = as === 'json' ? 'application/json' : 'application/x-www-form-urlencoded'
      const response = await copy.owner.send(method, path(copy), undefined, { raw, headers: { 'content-type': type } })
      statuses.add(response.status)
      const { code, param } = response.body.error ?? {}
      // Only the name of the field: the path within the field may differ.
      const field = /^\w*/.exec(param ?? '')?.[0]
      return code === undefined ? [response.status, withoutIds(response.text, copy.owner)] : [response.status, code, field]
    }
    await fc.assert(
      fc.asyncProperty(fields, async (make) => {
        expect(await sent('form', make), JSON.stringify(make(twins.json))).toEqual(await sent('json', make))
      }),
      { numRuns: 80 * SHARE, seed: 20_261_121, endOnFailure: true },
    )
    // Successes and refusals must both occur, because refusals alone prove little.
    expect([...statuses].some((status) => status < 300)).toBe(true)
    expect([...statuses].some((status) => status >= 400)).toBe(true)
  })
  test('a text sent as a form is returned unchanged', async () => {
    const { conversation: id, owner } = twins.form
    await fc.assert(
      fc.asyncProperty(
        text.map((one) => `${word()} ${one.replaceAll('\0', '')}`),
        async (message) => {
          const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' }
          const raw = encoded({ conversation_id: id, message })
          expect((await owner.create('/messages', undefined, { raw, headers })).message).toBe(message)
        },
      ),
      { numRuns: 60 * SHARE, seed: 20_261_121, endOnFailure: true },
    )
  })
})

/** A response body without the ids and times in which the copies differ. */
const withoutIds = (body: string, owner: Member): unknown =>
  JSON.parse(body.replaceAll(owner.id, 'OWNER').replaceAll(/\b(conv|msg|grp|aud|rev|usr)_[0-9a-z]{26}/g, '$1'), (key, value) =>
    /^(created|updated|read|last_active|last_opened)_at$/.test(key) && value !== null ? 'a time' : value,
  )
