import type { Json } from './client.ts'

export type Send = (method: string, path: string, json?: unknown) => Promise<Json>

/** One change of the admin API and the audit record that it must leave. */
export interface RecordedChange {
  readonly action: string
  /** Creates the objects that `apply` needs; its result is passed to `apply`. */
  readonly prepare?: (send: Send) => Promise<Json>
  readonly apply: (send: Send, prepared: Json, workspace: string) => Promise<Json>
  /** The object id in the record, from the result of `apply`. Default: its `id`. Empty: a keyed hash. */
  readonly recordedId?: (result: Json) => string
  readonly fields: readonly string[]
  /** Values that the record must not contain. */
  readonly hiddenValues: readonly string[]
  /** A list that shows whether the change was made. */
  readonly listPath: string
}

const POLICY = 'name: confidential-title\nrules: []\n'
const DRAFT = { title: 'the hidden plan', note: 'for the merger', source: POLICY }
const TEST = {
  name: 'the hidden case',
  at: 'input',
  input: { content: { text: 'the hidden text' } },
  expect: { verdict: 'allow' },
}
const PROVIDER = { id: 'acme', base_url: 'https://llm.secret-host.example', api_key: 'sk-verysecret' }

const VIEW = { page: 'audit', name: 'the hidden view', query: { user: 'hidden-user' }, shared: true }

const application = (send: Send) => send('POST', '/applications', { name: 'given' })
const draft = (send: Send) => send('POST', '/policy-drafts', DRAFT)
const provider = (send: Send) => send('POST', '/providers', PROVIDER)

export const CHANGES: readonly RecordedChange[] = [
  {
    action: 'application.create',
    apply: (send) =>
      send('POST', '/applications', {
        name: 'the hidden name',
        limits: { burst: 7 },
        settings: { knowledge: { enabled: true }, motto: 'be silent' },
      }),
    fields: ['name', 'limits.burst', 'settings.knowledge.enabled', 'settings'],
    hiddenValues: ['the hidden name', 'motto', 'be silent'],
    listPath: '/applications',
  },
  {
    action: 'application.update',
    prepare: application,
    apply: (send, { id }) => send('PATCH', `/applications/${id}`, { default_model: 'model-of-choice', ceiling: 'public' }),
    fields: ['default_model', 'ceiling'],
    hiddenValues: ['model-of-choice'],
    listPath: '/applications',
  },
  {
    action: 'key.issue',
    prepare: application,
    apply: (send, { id }) => send('POST', `/applications/${id}/keys`, { name: 'the nightly job' }),
    fields: ['name'],
    hiddenValues: ['the nightly job'],
    listPath: '/applications',
  },
  {
    action: 'key.rotate',
    prepare: async (send) => send('POST', `/applications/${(await application(send)).id}/keys`, { name: 'the nightly job' }),
    apply: async (send, { id }) => ({ ...(await send('POST', `/keys/${id}/rotate`, {})), id }),
    fields: ['expires_at', 'replaced_by'],
    hiddenValues: ['the nightly job'],
    listPath: '/applications',
  },
  {
    action: 'key.revoke',
    prepare: async (send) => send('POST', `/applications/${(await application(send)).id}/keys`, { name: 'the nightly job' }),
    apply: (send, { id }) => send('POST', `/keys/${id}/revoke`),
    fields: ['revoked_at'],
    hiddenValues: ['the nightly job'],
    listPath: '/applications',
  },
  {
    action: 'view.create',
    apply: (send) => send('POST', '/views', VIEW),
    fields: ['page', 'name', 'query', 'shared'],
    hiddenValues: ['the hidden view', 'hidden-user'],
    listPath: '/views',
  },
  {
    action: 'view.update',
    prepare: (send) => send('POST', '/views', VIEW),
    apply: (send, { id }) => send('PATCH', `/views/${id}`, { name: 'renamed', query: { user: 'hidden-user' } }),
    fields: ['name'],
    hiddenValues: ['renamed', 'hidden-user'],
    listPath: '/views',
  },
  {
    action: 'view.delete',
    prepare: (send) => send('POST', '/views', VIEW),
    apply: async (send, { id }) => {
      await send('DELETE', `/views/${id}`)
      return { id }
    },
    fields: [],
    hiddenValues: ['the hidden view'],
    listPath: '/views',
  },
  {
    action: 'user.create',
    apply: (send) => send('POST', '/users', { id: 'jane.roe', username: 'Jane Roe', attributes: { salary: 'enormous' } }),
    recordedId: () => '',
    fields: ['id', 'username', 'attributes'],
    hiddenValues: ['jane.roe', 'Jane Roe', 'salary', 'enormous'],
    listPath: '/users',
  },
  {
    action: 'user.update',
    prepare: (send) => send('POST', '/users', { id: 'john.doe', username: 'John Doe' }),
    apply: (send) => send('PATCH', '/users/john.doe', { role: 'commander' }),
    recordedId: () => '',
    fields: ['role'],
    hiddenValues: ['john.doe', 'commander'],
    listPath: '/users',
  },
  {
    action: 'provider.create',
    apply: provider,
    fields: ['id', 'base_url', 'api_key'],
    hiddenValues: ['secret-host', 'sk-verysecret'],
    listPath: '/providers',
  },
  {
    action: 'provider.update',
    prepare: provider,
    apply: (send) => send('PATCH', '/providers/acme', { headers: { 'x-team': 'research-team' }, timeout_ms: 4321 }),
    fields: ['headers', 'timeout_ms'],
    hiddenValues: ['x-team', 'research-team', '4321'],
    listPath: '/providers',
  },
  {
    action: 'provider.delete',
    prepare: provider,
    apply: (send) => send('DELETE', '/providers/acme'),
    recordedId: () => 'acme',
    fields: [],
    hiddenValues: ['secret-host'],
    listPath: '/providers',
  },
  {
    action: 'model.put',
    prepare: provider,
    apply: (send) => send('PUT', '/providers/acme/models/org%2Fsmall', { upstream_name: 'internal-name' }),
    recordedId: () => 'acme/org/small',
    fields: ['upstream_name'],
    hiddenValues: ['internal-name'],
    listPath: '/providers/acme/models',
  },
  {
    action: 'model.put',
    prepare: provider,
    apply: (send) => send('POST', '/providers/acme/models', { models: [{ id: 'small' }, { id: 'large', input_price: 12.25 }] }),
    recordedId: () => 'acme',
    fields: ['models.small', 'models.large'],
    hiddenValues: ['12.25'],
    listPath: '/providers/acme/models',
  },
  {
    action: 'model.delete',
    prepare: async (send) => {
      await provider(send)
      await send('PUT', '/providers/acme/models/small', {})
    },
    apply: (send) => send('DELETE', '/providers/acme/models/small'),
    recordedId: () => 'acme/small',
    fields: [],
    hiddenValues: [],
    listPath: '/providers/acme/models',
  },
  {
    action: 'policy_set.publish',
    apply: (send) => send('POST', '/policy-sets', { source: POLICY }),
    fields: ['source'],
    hiddenValues: ['confidential-title'],
    listPath: '/policy-sets',
  },
  {
    action: 'policy_set.publish',
    prepare: async (send) => {
      const first = await send('POST', '/policy-sets', { source: POLICY })
      await send('POST', '/policy-sets', { source: POLICY })
      return first
    },
    apply: (send, { id }) => send('POST', `/policy-sets/${id}/publish`),
    fields: ['active'],
    hiddenValues: ['confidential-title'],
    listPath: '/policy-sets',
  },
  {
    action: 'policy_set.publish',
    apply: (send) => send('POST', '/policy-sets', { source: POLICY, note: 'after the merger' }),
    fields: ['source', 'note'],
    hiddenValues: ['confidential-title', 'after the merger'],
    listPath: '/policy-sets',
  },
  {
    action: 'policy_draft.create',
    apply: (send) => send('POST', '/policy-drafts', DRAFT),
    fields: ['title', 'note', 'source'],
    hiddenValues: ['the hidden plan', 'for the merger', 'confidential-title'],
    listPath: '/policy-drafts',
  },
  {
    action: 'policy_draft.update',
    prepare: draft,
    apply: (send, { id }) =>
      send('PATCH', `/policy-drafts/${id}`, { revision: 1, title: 'another hidden plan', base_version: 'none' }),
    fields: ['title', 'base_version'],
    hiddenValues: ['another hidden plan'],
    listPath: '/policy-drafts',
  },
  {
    action: 'policy_draft.delete',
    prepare: draft,
    apply: async (send, { id }) => ({ ...(await send('DELETE', `/policy-drafts/${id}`)), id }),
    fields: [],
    hiddenValues: ['the hidden plan'],
    listPath: '/policy-drafts',
  },
  {
    action: 'policy_test.create',
    apply: (send) => send('POST', '/policy-tests', TEST),
    fields: ['name', 'at', 'input', 'expect'],
    hiddenValues: ['the hidden case', 'the hidden text'],
    listPath: '/policy-tests',
  },
  {
    action: 'policy_test.update',
    prepare: (send) => send('POST', '/policy-tests', TEST),
    apply: (send, { id }) => send('PUT', `/policy-tests/${id}`, { ...TEST, name: 'renamed case' }),
    fields: ['name', 'at', 'input', 'expect'],
    hiddenValues: ['renamed case', 'the hidden text'],
    listPath: '/policy-tests',
  },
  {
    action: 'policy_test.import',
    apply: async (send, _, workspace) => ({
      ...(await send('POST', '/policy-tests/import', {
        file: 'hidden-file.yaml',
        source: 'tests: [{ name: hidden, at: input, expect: { verdict: allow } }]',
      })),
      id: workspace,
    }),
    fields: ['file', 'source'],
    hiddenValues: ['hidden-file'],
    listPath: '/policy-tests',
  },
  {
    action: 'admin_token.issue',
    apply: (send) => send('POST', '/tokens', { name: 'the second admin' }),
    fields: ['name', 'scopes'],
    hiddenValues: ['the second admin'],
    listPath: '/tokens?limit=100',
  },
  {
    action: 'admin_token.revoke',
    prepare: (send) => send('POST', '/tokens', { name: 'the third admin' }),
    apply: (send, { id }) => send('POST', `/tokens/${id}/revoke`),
    fields: ['revoked_at'],
    hiddenValues: ['the third admin'],
    listPath: '/tokens?limit=100',
  },
  {
    action: 'workspace.update',
    apply: (send, _, workspace) =>
      send('PATCH', `/workspaces/${workspace}`, { settings: { issuer: 'https://id.example', claims: { id: 'uid' } } }),
    fields: ['settings.issuer', 'settings.claims.id'],
    hiddenValues: ['id.example'],
    listPath: '/workspaces?limit=100',
  },
]
