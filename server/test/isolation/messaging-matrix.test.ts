import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiResponse } from '../admin/client.ts'
import { refused } from '../admin/client.ts'
import { createMembers, type Member } from '../messaging/client.ts'
import type { MessagingServer } from '../support/messenger.ts'
import { sharedMessagingServer } from '../support/shared-server.ts'

const KINDS = ['conversations', 'messages', 'contacts', 'groups', 'attachments', 'events']
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
/** Nobody's, of each kind. */
const NOBODYS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({ conversations: 'conv', messages: 'msg', groups: 'grp', attachments: 'att', contacts: 'usr' }).map(
    ([kind, prefix]) => [kind, `${prefix}_01h455vb4pex5vsknk084sn02q`],
  ),
)

/** What Ann and Ben have, each thing with a word in it that nobody else may ever read. */
interface Things {
  readonly conversations: string
  readonly messages: string
  readonly groups: string
  readonly contacts: string
  readonly attachments?: string
}
type Kind = keyof Things

interface Endpoint {
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
}

let messenger: MessagingServer
let endpoints: readonly Endpoint[]
let things: Things
let far: Member
const secret = 'quokkaburrow'

beforeAll(async () => {
  messenger = await sharedMessagingServer()
  endpoints = await readEndpoints()
  const { group, conversation } = await messenger.group(messenger.ann, messenger.ben)
  await messenger.ann.put(`/groups/${group}`, { name: secret })
  const { id: message } = await messenger.say(conversation, secret)
  await messenger.ben.put(`/messages/${message}/reactions/heart`)
  const attachments = await upload()
  things = {
    conversations: conversation,
    messages: message,
    groups: group,
    contacts: messenger.ann.id,
    ...(attachments && { attachments }),
  }
  ;({ far } = await createMembers(messenger.server, ['far'], await messenger.operator.workspace()))
})
afterAll(() => messenger.close())

/** Every operation of the document below those paths. */
async function readEndpoints(): Promise<Endpoint[]> {
  const document = (await (await fetch(`${messenger.base}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { requestBody?: object } | undefined>>
  }
  const { paths } = document
  return Object.entries(paths)
    .filter(([path]) => KINDS.includes(path.split('/')[2] ?? '') && path.startsWith('/v1/'))
    .flatMap(([path, operations]) =>
      METHODS.flatMap((method) => {
        const operation = operations[method]
        return operation
          ? [{ method: method.toUpperCase(), path: path.slice(3), hasBody: operation.requestBody !== undefined }]
          : []
      }),
    )
}

/** An id of a file of Ann's, where files can be sent. */
async function upload(): Promise<string | undefined> {
  if (!endpoints.some(({ method, path }) => method === 'POST' && path === '/attachments')) return undefined
  const raw = new FormData()
  raw.append('file', new Blob([secret], { type: 'text/plain' }), `${secret}.txt`)
  return (await messenger.ann.create('/attachments', undefined, { raw })).id
}

/** A right body for every operation that has one: what is refused is refused for who asks. */
const BODIES: Readonly<Record<string, (ids: Things) => object>> = {
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
/** Ids in queries. */
const QUERIES: Readonly<Record<string, (ids: Things) => string>> = {
  'GET /conversations': ({ groups }) => `group_id=${groups}`,
  'GET /messages': ({ conversations }) => `conversation_id=${conversations}`,
  'GET /messages/search': ({ conversations }) => `q=${secret}&conversation_id=${conversations}`,
}

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const kindOf = ({ path }: Endpoint) => path.split('/')[1] as Kind

async function call(person: Member, endpoint: Endpoint, ids: Things, token?: null): Promise<ApiResponse> {
  const name = nameOf(endpoint)
  const path = endpoint.path
    .replace('{id}', ids[kindOf(endpoint)] ?? '')
    .replace('{name}', 'heart')
    .replace('{contact_id}', messenger.ann.id)
  const query = QUERIES[name]?.(ids)
  const fields = endpoint.hasBody ? BODIES[name]?.(ids) : undefined
  return person.send(endpoint.method, query ? `${path}?${query}` : path, fields, token === null ? { token } : {})
}

/** What was answered, without what each request has of its own. */
const bytes = ({ status, headers, text }: ApiResponse, ids: Things): string => {
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit', 'content-length'].includes(name))
  return Object.values(ids).reduce((rest, id) => rest.replaceAll(id, 'ID'), JSON.stringify([status, shown, text]))
}

describe('endpoints of openapi.json', () => {
  test('messaging isolation: this test has a valid body for every endpoint of openapi.json', () => {
    expect(new Set(endpoints.map(kindOf))).toEqual(new Set(KINDS.filter((kind) => kind !== 'attachments' || things.attachments)))
    const uploads = ['POST /attachments']
    const unprepared = endpoints.filter((one) => one.hasBody && !BODIES[nameOf(one)] && !uploads.includes(nameOf(one)))
    expect(unprepared.map(nameOf)).toEqual([])
    expect(endpoints.length).toBeGreaterThanOrEqual(22)
  })
  test('messaging isolation: every endpoint responds with 401 when the token is missing', async () => {
    for (const endpoint of endpoints) {
      for (const ids of [things, NOBODYS as unknown as Things])
        refused(await call(messenger.ann, endpoint, ids, null), 'AUTH_INVALID_KEY')
    }
  })
})

describe('users who are not members', () => {
  test('messaging isolation: response has the same bytes when the id in the path is foreign or unknown', async () => {
    const withId = endpoints.filter(({ path }) => path.includes('{id}'))
    expect(withId.length).toBeGreaterThanOrEqual(13)
    for (const endpoint of withId) {
      for (const person of [messenger.stan, far]) {
        // Contacts are all users of one's own Workspace: only who is of another one is a stranger to them.
        if (person === messenger.stan && kindOf(endpoint) === 'contacts') continue
        const reply = await call(person, endpoint, things)
        expect(reply.status, `${nameOf(endpoint)}: ${reply.text}`).toBe(404)
        refused(reply, 'NOT_FOUND')
        const nobodys = NOBODYS as unknown as Things
        expect(bytes(reply, things), nameOf(endpoint)).toBe(bytes(await call(person, endpoint, nobodys), nobodys))
      }
    }
  })
  test('messaging isolation: response has the same bytes when the id in the body or query is foreign or unknown', async () => {
    for (const endpoint of endpoints) {
      const name = nameOf(endpoint)
      const names = endpoint.path.includes('{id}') ? undefined : (QUERIES[name] ?? BODIES[name])
      if (!names) continue
      // Of contacts: see above.
      for (const person of name === 'POST /groups' ? [far] : [messenger.stan, far]) {
        const reply = await call(person, endpoint, things)
        expect(reply.status, `${name}: ${reply.text}`).toBe(404)
        const nobodys = NOBODYS as unknown as Things
        expect(bytes(reply, things), name).toBe(bytes(await call(person, endpoint, nobodys), nobodys))
      }
    }
  })
  test('messaging isolation: no list contains a foreign id, and nothing has changed for the members', async () => {
    const listed = endpoints.filter(({ method, path }) => method === 'GET' && !path.includes('{') && path !== '/events')
    expect(listed.length).toBeGreaterThanOrEqual(5)
    for (const { path } of listed) {
      for (const person of [messenger.stan, far]) {
        const { text, status } = await person.send('GET', `${path}?limit=100&q=${secret}`)
        expect(status, text).toBe(200)
        for (const id of [things.conversations, things.messages, things.groups, things.attachments ?? secret, secret]) {
          expect(text, path).not.toContain(id)
        }
        if (person === far) expect(text, path).not.toContain(messenger.ann.id)
      }
    }
    const group = await messenger.ann.get(`/groups/${things.groups}`)
    expect([group.name, group.contacts.toSorted()]).toEqual([secret, [messenger.ann.id, messenger.ben.id].toSorted()])
    expect(await messenger.ann.get(`/messages/${things.messages}`)).toMatchObject({
      message: secret,
      reactions: [{ heart: [messenger.ben.id] }],
      read_at: null,
      updated_at: null,
    })
  })
  test('messaging isolation: event stream contains nothing foreign when it resumes from the beginning', async () => {
    const strangers = await Promise.all([messenger.stan, far].map((person) => messenger.listen(person, 0)))
    const member = await messenger.listen(messenger.ben, 0)
    const { id } = await messenger.say(things.conversations, secret)
    await messenger.ben.post(`/conversations/${things.conversations}/read`, {})
    await messenger.ben.put(`/messages/${id}/reactions/heart`)
    await member.until(({ type, data }) => type === 'message.updated' && data.includes(id))
    // Each hears of something of its own, so what came before has come.
    for (const [index, person] of [messenger.stan, far].entries()) {
      const { id: own } = await person.create('/groups', { name: 'own' })
      await strangers[index]?.until(({ data }) => data.includes(own))
    }
    for (const stranger of strangers) {
      const heard = stranger.events.map(({ data }) => data).join()
      for (const word of [secret, things.conversations, things.messages, things.groups]) expect(heard).not.toContain(word)
      stranger.close()
    }
    member.close()
  })
})
