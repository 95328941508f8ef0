import type { Json } from './client.ts'

export type Send = (method: string, path: string, json?: unknown) => Promise<Json>

/** A request of the admin API. Names in braces are fields of the given object: `PATCH /applications/{id}`. */
export interface Asked {
  readonly request: string
  readonly json?: unknown
  /** The path of the object that must exist: `applications`. Default: that of the request, if it names an id. */
  readonly given?: string
}

/** One change of the admin API and the audit record that it must leave. */
interface RecordedChange extends Asked {
  readonly action: string
  readonly fields: readonly string[]
  /** Values that the record must not contain. */
  readonly hidden: readonly string[]
  /** The object id in the record. Default: that of the response, or of the given object. */
  readonly recordedId: string | RegExp | undefined
  /** A list that shows whether the change was made, with fields of the given object. */
  readonly listPath: string
}

const LISTS: Readonly<Record<string, string>> = {
  admin_token: '/tokens',
  key: '/applications/{application_id}/keys',
  model: '/providers/acme/models',
}

const change = (
  action: string,
  request: string,
  fields: readonly string[],
  hidden: readonly string[],
  json?: unknown,
  recordedId?: string | RegExp,
): RecordedChange => {
  const [noun = ''] = action.split('.')
  const listPath = `${LISTS[noun] ?? `/${noun.replaceAll('_', '-')}s`}?limit=100`
  return { action, request, fields, hidden, json, recordedId, listPath }
}

const HASH = /^[0-9a-f]{64}$/
const POLICY = 'name: confidential-title\nrules: []\n'
const PUBLISHED = 'name: named\ntexts: { manners: the hidden-text of operators }\nrules: []\n'
const DRAFT = { title: 'the hidden plan', note: 'for the merger', source: POLICY }
const TEST = {
  name: 'the hidden case',
  at: 'input',
  input: { content: { text: 'the hidden text' } },
  expect: { verdict: 'allow' },
}
const PROVIDER = { id: 'acme', base_url: 'https://llm.secret-host.example', api_key: 'sk-verysecret' }
const VIEW = { page: 'audit', name: 'the hidden view', query: { user: 'hidden-user' }, shared: true }

const application = async (send: Send) => {
  const created = await send('POST', '/applications', { name: crypto.randomUUID() })
  return { ...created, application_id: created.id }
}
const collection = async (send: Send) => {
  const { id } = await send('POST', '/collections', { name: crypto.randomUUID() })
  const documents = [{ key: 'plan.md', content: 'Attack at dawn.' }]
  const { data } = await send('POST', `/collections/${id}/documents`, { documents })
  return { id, document_id: data[0].document_id }
}

/** Creates the object of a path. */
const GIVEN: Readonly<Record<string, (send: Send, workspace: string) => Promise<Json>>> = {
  applications: application,
  keys: async (send) => send('POST', `/applications/${(await application(send)).id}/keys`, { name: 'the nightly job' }),
  teams: (send) => send('POST', '/teams', { name: crypto.randomUUID() }),
  'user-groups': (send) => send('POST', '/user-groups', { id: 'the-group' }),
  views: (send) => send('POST', '/views', VIEW),
  users: (send) => send('POST', '/users', { id: 'john.doe', username: 'John Doe' }),
  providers: async (send) => {
    const provider = await send('POST', '/providers', PROVIDER)
    await send('PUT', '/providers/acme/models/small', {})
    return provider
  },
  'policy-sets': async (send) => {
    const first = await send('POST', '/policy-sets', { source: PUBLISHED })
    await send('POST', '/policy-sets', { source: PUBLISHED })
    return first
  },
  'policy-drafts': (send) => send('POST', '/policy-drafts', DRAFT),
  'policy-tests': (send) => send('POST', '/policy-tests', TEST),
  tokens: (send) => send('POST', '/tokens', { name: 'the third admin' }),
  workspaces: async (_, id) => ({ id }),
  collections: collection,
  documents: async (send) => ({ id: (await collection(send)).document_id }),
  'failed documents': async (send) => {
    const { id } = await collection(send)
    const { data } = await send('POST', `/collections/${id}/documents`, { documents: [{ key: 'empty.md', content: '' }] })
    return { id: data[0].document_id }
  },
}

/** Creates the object that the request needs; undefined if it needs none. */
export const prepare = async ({ request, given }: Asked, send: Send, workspace: string): Promise<Json> =>
  GIVEN[given ?? /\/([\w-]+)\/\{/.exec(request)?.[1] ?? '']?.(send, workspace)

export const filled = (text: string, given: Json): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(given[name]))

export function apply({ request, json }: Asked, given: Json, send: Send): Promise<Json> {
  const [method = '', path = ''] = request.split(' ')
  return send(method, filled(path, given), json === undefined ? undefined : JSON.parse(filled(JSON.stringify(json), given)))
}

const CHAT_REQUEST = { messages: [{ role: 'user', content: 'x' }] }

/** Requests that change nothing, for a given object. */
export const READS: readonly Asked[] = [
  { request: 'GET /applications/{id}' },
  { request: 'GET /applications/{id}/keys' },
  { request: 'POST /policy-sets/simulate', given: 'applications', json: { application_id: '{id}', request: CHAT_REQUEST } },
  { request: 'POST /knowledge/search', given: 'applications', json: { application_id: '{id}', query: 'x' } },
  { request: 'GET /keys/{id}' },
  { request: 'GET /teams/{id}' },
  { request: 'GET /user-groups/{id}' },
  { request: 'GET /user-groups/{id}/members' },
  { request: 'GET /users/{id}' },
  { request: 'GET /providers/{id}' },
  { request: 'POST /providers/{id}/discover' },
  { request: 'GET /providers/{id}/models' },
  { request: 'GET /policy-sets/{id}' },
  { request: 'GET /policy-sets/{id}/diff' },
  { request: 'POST /policy-sets/{id}/diff', json: { source: POLICY } },
  { request: 'POST /policy-sets/simulate', given: 'policy-sets', json: { policy_set_id: '{id}', request: CHAT_REQUEST } },
  { request: 'GET /policy-drafts/{id}' },
  { request: 'GET /policy-tests/{id}' },
  { request: 'GET /collections/{id}' },
  { request: 'GET /documents?collection={id}', given: 'collections' },
  { request: 'GET /documents/{id}' },
]

export const CHANGES: readonly RecordedChange[] = [
  change(
    'application.create',
    'POST /applications',
    ['name', 'limits.burst', 'settings.knowledge.enabled', 'settings'],
    ['the hidden name', 'motto', 'be silent'],
    { name: 'the hidden name', limits: { burst: 7 }, settings: { knowledge: { enabled: true }, motto: 'be silent' } },
  ),
  change('application.update', 'PATCH /applications/{id}', ['default_model', 'ceiling'], ['model-of-choice'], {
    default_model: 'model-of-choice',
    ceiling: 'public',
  }),
  change('application.archive', 'POST /applications/{id}/archive', ['archived_at'], []),
  change('application.restore', 'POST /applications/{id}/restore', ['archived_at'], []),
  change('key.issue', 'POST /applications/{id}/keys', ['name'], ['the daily job'], { name: 'the daily job' }),
  change(
    'key.update',
    'PATCH /keys/{id}',
    ['name', 'limits.tokens_per_minute', 'tags', 'metadata'],
    ['renamed', 'the hidden tag', 'the hidden owner'],
    {
      name: 'renamed',
      limits: { tokens_per_minute: 77 },
      tags: ['the hidden tag'],
      metadata: { owner: 'the hidden owner' },
    },
  ),
  change('key.rotate', 'POST /keys/{id}/rotate', ['expires_at', 'replaced_by'], ['the nightly job'], {}, '{id}'),
  change('key.revoke', 'POST /keys/{id}/revoke', ['revoked_at'], ['the nightly job']),
  change('team.create', 'POST /teams', ['name', 'members'], ['the hidden team', 'hidden-user'], {
    name: 'the hidden team',
    members: ['hidden-user'],
  }),
  change('team.update', 'PATCH /teams/{id}', ['name', 'limits.burst'], ['the other team'], {
    name: 'the other team',
    limits: { burst: 9 },
  }),
  change('team.delete', 'DELETE /teams/{id}', [], []),
  change('user_group.create', 'POST /user-groups', ['id', 'name', 'source'], ['the hidden group', 'hidden directory'], {
    id: 'some-group',
    name: 'the hidden group',
    source: 'hidden directory',
  }),
  change('user_group.members', 'POST /user-groups/{id}/members', ['add.users'], ['hidden-user'], {
    add: { users: ['hidden-user'] },
  }),
  change('user_group.delete', 'DELETE /user-groups/{id}', [], []),
  change('view.create', 'POST /views', ['page', 'name', 'query', 'shared'], ['the hidden view', 'hidden-user'], VIEW),
  change('view.update', 'PATCH /views/{id}', ['name'], ['renamed', 'hidden-user'], {
    name: 'renamed',
    query: { user: 'hidden-user' },
  }),
  change('view.delete', 'DELETE /views/{id}', [], ['the hidden view']),
  change(
    'user.create',
    'POST /users',
    ['id', 'username', 'attributes'],
    ['jane.roe', 'Jane Roe', 'salary', 'enormous'],
    { id: 'jane.roe', username: 'Jane Roe', attributes: { salary: 'enormous' } },
    HASH,
  ),
  change('user.update', 'PATCH /users/{id}', ['role'], ['john.doe', 'commander'], { role: 'commander' }, HASH),
  change('provider.create', 'POST /providers', ['id', 'base_url', 'api_key'], ['secret-host', 'sk-verysecret'], PROVIDER),
  change('provider.update', 'PATCH /providers/{id}', ['headers', 'timeout_ms'], ['x-team', 'research-team', '4321'], {
    headers: { 'x-team': 'research-team' },
    timeout_ms: 4321,
  }),
  change('provider.delete', 'DELETE /providers/{id}', [], ['secret-host']),
  change(
    'model.put',
    'PUT /providers/{id}/models/org%2Fsmall',
    ['upstream_name'],
    ['internal-name'],
    { upstream_name: 'internal-name' },
    'acme/org/small',
  ),
  change('model.put', 'POST /providers/{id}/models', ['models.small', 'models.large'], ['12.25'], {
    models: [{ id: 'small' }, { id: 'large', input_price: 12.25 }],
  }),
  change('model.delete', 'DELETE /providers/{id}/models/small', [], [], undefined, 'acme/small'),
  // The record names the version, as those of requests do.
  change('policy_set.publish', 'POST /policy-sets', ['source'], ['hidden-text'], { source: PUBLISHED }),
  change('policy_set.publish', 'POST /policy-sets/{id}/publish', ['active'], ['hidden-text']),
  change('policy_set.publish', 'POST /policy-sets', ['source', 'note'], ['hidden-text', 'after the merger'], {
    source: PUBLISHED,
    note: 'after the merger',
  }),
  change(
    'policy_draft.create',
    'POST /policy-drafts',
    ['title', 'note', 'source'],
    ['the hidden plan', 'for the merger', 'confidential-title'],
    DRAFT,
  ),
  change('policy_draft.update', 'PATCH /policy-drafts/{id}', ['title', 'base_version'], ['another hidden plan'], {
    revision: 1,
    title: 'another hidden plan',
    base_version: 'none',
  }),
  change('policy_draft.delete', 'DELETE /policy-drafts/{id}', [], ['the hidden plan']),
  change(
    'policy_test.create',
    'POST /policy-tests',
    ['name', 'at', 'input', 'expect'],
    ['the hidden case', 'the hidden text'],
    TEST,
  ),
  change('policy_test.update', 'PUT /policy-tests/{id}', ['name', 'at', 'input', 'expect'], ['renamed case', 'the hidden text'], {
    ...TEST,
    name: 'renamed case',
  }),
  change('policy_test.delete', 'DELETE /policy-tests/{id}', [], ['the hidden case']),
  change('policy_test.import', 'POST /policy-tests/import', ['file', 'source'], ['hidden-file'], {
    file: 'hidden-file.yaml',
    source: 'tests: [{ name: hidden, at: input, expect: { verdict: allow } }]',
  }),
  change('admin_token.issue', 'POST /tokens', ['name', 'scopes'], ['the second admin'], { name: 'the second admin' }),
  change('admin_token.revoke', 'POST /tokens/{id}/revoke', ['revoked_at'], ['the third admin']),
  change('workspace.update', 'PATCH /workspaces/{id}', ['settings.issuer', 'settings.claims.id'], ['id.example'], {
    settings: { issuer: 'https://id.example', claims: { id: 'uid' } },
  }),
  change('collection.create', 'POST /collections', ['name', 'classification', 'acl.users'], ['secret plans', 'jane.roe'], {
    name: 'the secret plans',
    classification: 'internal',
    acl: { users: ['jane.roe'] },
  }),
  change('collection.update', 'PATCH /collections/{id}', ['description', 'acl', 'applications'], ['insiders', 'everyone'], {
    description: 'for insiders',
    acl: 'everyone',
    applications: [],
  }),
  change('collection.delete', 'DELETE /collections/{id}', [], []),
  change('document.create', 'POST /collections/{id}/documents', ['content', 'acl'], ['raid.md', 'at dusk', 'everyone'], {
    documents: [{ key: 'raid.md', content: 'Attack at dusk.' }],
    acl: 'everyone',
  }),
  change('document.fail', 'POST /collections/{id}/documents', ['state', 'failure'], ['blank.md'], {
    documents: [{ key: 'blank.md', content: ' ' }],
  }),
  change('document.update', 'POST /collections/{id}/documents', ['content'], ['plan.md', 'noon'], {
    documents: [{ key: 'plan.md', content: 'Attack at noon.' }],
  }),
  change('document.update', 'PATCH /documents/{id}', ['acl.roles', 'source'], ['general', 'headquarters'], {
    acl: { roles: ['general'] },
    source: 'the headquarters',
  }),
  change('document.clear_flags', 'POST /documents/{id}/clear-flags', ['flags'], ['plan.md']),
  { ...change('document.retry', 'POST /documents/{id}/retry', ['state'], ['empty.md']), given: 'failed documents' },
  change('document.read', 'GET /documents/{id}/chunks', ['content'], ['plan.md', 'dawn']),
  change('document.delete', 'DELETE /documents/{id}', [], ['plan.md', 'dawn']),
]
