import { describe, expect, test } from 'vitest'
import { type ApiResponse, expectError } from '../admin/client.ts'
import { createMembers, type Member } from '../messaging/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { sharedMessagingServer } from '../support/shared-server.ts'

const KINDS = ['conversations', 'messages', 'contacts', 'groups', 'attachments', 'events']
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
type Kind = 'conversations' | 'messages' | 'groups' | 'contacts' | 'attachments'
type ResourceIds = Readonly<Record<Kind, string>>
const unknownId = (prefix: string): string => `${prefix}_01h455vb4pex5vsknk084sn02q`
const UNKNOWN_IDS: ResourceIds = {
  conversations: unknownId('conv'),
  messages: unknownId('msg'),
  groups: unknownId('grp'),
  contacts: unknownId('usr'),
  attachments: unknownId('att'),
}

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
}

const secret = 'quokkaburrow'

const messenger = await closeAfterAll(sharedMessagingServer())
const endpoints = await readEndpoints()
const { group, conversation } = await messenger.group(messenger.ann, messenger.ben)
await messenger.ann.put(`/groups/${group}`, { name: secret })
const { id: message } = await messenger.say(conversation, secret)
await messenger.ben.put(`/messages/${message}/reactions/heart`)
const { id: attachment } = await messenger.ann.upload(secret, `${secret}.txt`)
/** Ids of resources of Ann and Ben. Each one contains a secret word that no other user may read. */
const resources: ResourceIds = {
  conversations: conversation,
  messages: message,
  groups: group,
  contacts: messenger.ann.id,
  attachments: attachment,
}
const { far: foreignUser } = await createMembers(messenger.server, ['far'], await messenger.operator.workspace())

/** Reads the operations of openapi.json below the messaging paths. */
async function readEndpoints(): Promise<Endpoint[]> {
  const document = (await (await fetch(`${messenger.base}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: object; tags: string[] } | undefined>>
  }
  const { paths } = document
  return Object.entries(paths)
    .filter(([path]) => KINDS.includes(path.split('/')[2] ?? '') && path.startsWith('/v1/'))
    .flatMap(([path, operations]) =>
      METHODS.flatMap((method) => {
        const operation = operations[method]
        return operation?.tags.includes('messaging')
          ? [{ method: method.toUpperCase(), path: path.slice(3), hasBody: operation.requestBody !== undefined }]
          : []
      }),
    )
}

/** A valid body for every operation with one, so that a refusal depends only on the user. */
const BODIES: Readonly<Record<string, (ids: ResourceIds) => object>> = {
  'POST /conversations': ({ groups }) => ({ group_id: groups }),
  'PUT /conversations/{id}': () => ({ is_muted: true }),
  'POST /conversations/{id}/read': () => ({}),
  'PUT /conversations/{id}/retention': () => ({ days: 1 }),
  'POST /messages': ({ conversations }) => ({ conversation_id: conversations, message: 'hello' }),
  'PUT /messages/{id}': () => ({ reactions: { heart: ['x'] } }),
  'POST /groups': ({ contacts }) => ({ name: 'x', contacts: [contacts] }),
  'PUT /groups/{id}': () => ({ name: 'x' }),
  'POST /groups/{id}/contacts': ({ contacts }) => ({ contact_id: contacts }),
  'PUT /contacts/{id}': () => ({ display_name: 'x' }),
}
/** Queries with ids. */
const QUERIES: Readonly<Record<string, (ids: ResourceIds) => string>> = {
  'GET /conversations': ({ groups }) => `group_id=${groups}`,
  'GET /messages': ({ conversations }) => `conversation_id=${conversations}`,
  'GET /messages/search': ({ conversations }) => `q=${secret}&conversation_id=${conversations}`,
}

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const kindOf = ({ path }: Endpoint) => path.split('/')[1] as Kind

async function call(person: Member, endpoint: Endpoint, ids: ResourceIds, token?: null): Promise<ApiResponse> {
  const name = nameOf(endpoint)
  const path = endpoint.path
    .replace('{id}', ids[kindOf(endpoint)] ?? '')
    .replace('{name}', 'heart')
    .replace('{contact_id}', messenger.ann.id)
  const query = QUERIES[name]?.(ids)
  const fields = endpoint.hasBody ? BODIES[name]?.(ids) : undefined
  return person.send(endpoint.method, query ? `${path}?${query}` : path, fields, token === null ? { token } : {})
}

/** A response without values that differ for each request. */
const bytes = ({ status, headers, text }: ApiResponse, ids: ResourceIds): string => {
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit', 'content-length'].includes(name))
  return Object.values(ids).reduce((rest, id) => rest.replaceAll(id, 'ID'), JSON.stringify([status, shown, text]))
}

/** Fails unless the response for the ids is a 404 with the same bytes as the one for ids that do not exist. */
async function expectUnknown(person: Member, endpoint: Endpoint): Promise<void> {
  const reply = await call(person, endpoint, resources)
  expect(reply.status, `${nameOf(endpoint)}: ${reply.text}`).toBe(404)
  expectError(reply, 'NOT_FOUND')
  expect(bytes(reply, resources), nameOf(endpoint)).toBe(bytes(await call(person, endpoint, UNKNOWN_IDS), UNKNOWN_IDS))
}

describe('endpoints of openapi.json', () => {
  test('messaging isolation: this test has a valid body for every endpoint of openapi.json', () => {
    expect(new Set<string>(endpoints.map(kindOf))).toEqual(new Set(KINDS))
    const uploads = ['POST /attachments']
    const unprepared = endpoints.filter((one) => one.hasBody && !BODIES[nameOf(one)] && !uploads.includes(nameOf(one)))
    expect(unprepared.map(nameOf)).toEqual([])
    expect(endpoints.length).toBeGreaterThanOrEqual(22)
  })
  test('messaging isolation: every endpoint responds with 401 when the token is missing', async () => {
    for (const endpoint of endpoints) {
      for (const ids of [resources, UNKNOWN_IDS]) expectError(await call(messenger.ann, endpoint, ids, null), 'AUTH_INVALID_KEY')
    }
  })
})

describe('users who are not members', () => {
  test('messaging isolation: response has the same bytes when the id in the path is foreign or unknown', async () => {
    const withId = endpoints.filter(({ path }) => path.includes('{id}'))
    expect(withId.length).toBeGreaterThanOrEqual(13)
    for (const endpoint of withId) {
      for (const person of [messenger.stan, foreignUser]) {
        // All users of the Workspace are contacts, so only the user of another Workspace gets 404.
        if (person === messenger.stan && kindOf(endpoint) === 'contacts') continue
        await expectUnknown(person, endpoint)
      }
    }
  })
  test('messaging isolation: response has the same bytes when the id in the body or query is foreign or unknown', async () => {
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint)
      const names = endpoint.path.includes('{id}') ? undefined : (QUERIES[name] ?? BODIES[name])
      if (!names) continue
      // All users of the Workspace are contacts (see above).
      for (const person of name === 'POST /groups' ? [foreignUser] : [messenger.stan, foreignUser]) {
        await expectUnknown(person, endpoint)
      }
    }
  })
  test('messaging isolation: no list contains a foreign id, and nothing has changed for the members', async () => {
    const listed = endpoints.filter(({ method, path }) => method === 'GET' && !path.includes('{') && path !== '/events')
    expect(listed.length).toBeGreaterThanOrEqual(5)
    for (const { path } of listed) {
      for (const person of [messenger.stan, foreignUser]) {
        const { text, status } = await person.send('GET', `${path}?limit=100&q=${secret}`)
        expect(status, text).toBe(200)
        const { contacts: _, ...foreignIds } = resources
        for (const id of [...Object.values(foreignIds), secret]) expect(text, path).not.toContain(id)
        if (person === foreignUser) expect(text, path).not.toContain(messenger.ann.id)
      }
    }
    const group = await messenger.ann.get(`/groups/${resources.groups}`)
    expect([group.name, group.contacts.toSorted()]).toEqual([secret, [messenger.ann.id, messenger.ben.id].toSorted()])
    expect(await messenger.ann.get(`/messages/${resources.messages}`)).toMatchObject({
      message: secret,
      reactions: [{ heart: [messenger.ben.id] }],
      read_at: null,
      updated_at: null,
    })
  })
  test('messaging isolation: event stream contains nothing foreign when it resumes from the beginning', async () => {
    const strangers = await Promise.all([messenger.stan, foreignUser].map((person) => messenger.listen(person, 0)))
    const member = await messenger.listen(messenger.ben, 0)
    const { id } = await messenger.say(resources.conversations, secret)
    await messenger.ben.post(`/conversations/${resources.conversations}/read`, {})
    await messenger.ben.put(`/messages/${id}/reactions/heart`)
    await member.until(({ type, data }) => type === 'message.updated' && data.includes(id))
    // After an event about an own group, all earlier events have arrived.
    for (const [index, person] of [messenger.stan, foreignUser].entries()) {
      const { id: own } = await person.create('/groups', { name: 'own' })
      await strangers[index]?.until(({ data }) => data.includes(own))
    }
    for (const stranger of strangers) {
      const received = stranger.events.map(({ data }) => data).join()
      for (const word of [secret, resources.conversations, resources.messages, resources.groups])
        expect(received).not.toContain(word)
      stranger.close()
    }
    member.close()
  })
})
