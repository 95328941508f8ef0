import type { Json } from './client.ts'

export type Send = (method: string, path: string, json?: unknown) => Promise<Json>

/** One change of the admin API and the audit record that it must leave. */
interface RecordedChange {
  readonly action: string
  /** Creates the objects that `apply` needs; its result is passed to `apply`. */
  readonly prepare?: (send: Send) => Promise<Json>
  readonly apply: (send: Send, prepared: Json, workspace: string) => Promise<Json>
  /** The object id in the record, from the result of `apply`. Default: its `id`, or that of the prepared object. Empty: a keyed hash. */
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

const collection = (send: Send) => send('POST', '/collections', { name: 'given' })
const ingest = async (send: Send, collectionId: string, body: object): Promise<Json> => {
  const response = await send('POST', `/collections/${collectionId}/documents`, body)
  return response && { id: response.data[0].document_id }
}
const document = async (send: Send) => {
  const { id: collection_id } = await collection(send)
  const { id } = await ingest(send, collection_id, { documents: [{ key: 'plan.md', content: 'Attack at dawn.' }] })
  return { collection_id, id }
}

const change = (
  action: string,
  listPath: string,
  rest: Pick<RecordedChange, 'apply'> & Partial<RecordedChange>,
): RecordedChange => ({ action, listPath, fields: [], hiddenValues: [], ...rest })

export const CHANGES: readonly RecordedChange[] = [
  change('application.create', '/applications', {
    apply: (send) =>
      send('POST', '/applications', {
        name: 'the hidden name',
        limits: { burst: 7 },
        settings: { knowledge: { enabled: true }, motto: 'be silent' },
      }),
    fields: ['name', 'limits.burst', 'settings.knowledge.enabled', 'settings'],
    hiddenValues: ['the hidden name', 'motto', 'be silent'],
  }),
  change('application.update', '/applications', {
    prepare: application,
    apply: (send, { id }) => send('PATCH', `/applications/${id}`, { default_model: 'model-of-choice', ceiling: 'public' }),
    fields: ['default_model', 'ceiling'],
    hiddenValues: ['model-of-choice'],
  }),
  change('key.issue', '/applications', {
    prepare: application,
    apply: (send, { id }) => send('POST', `/applications/${id}/keys`, { name: 'the nightly job' }),
    fields: ['name'],
    hiddenValues: ['the nightly job'],
  }),
  change('key.rotate', '/applications', {
    prepare: async (send) => send('POST', `/applications/${(await application(send)).id}/keys`, { name: 'the nightly job' }),
    apply: async (send, { id }) => ({ ...(await send('POST', `/keys/${id}/rotate`, {})), id }),
    fields: ['expires_at', 'replaced_by'],
    hiddenValues: ['the nightly job'],
  }),
  change('key.revoke', '/applications', {
    prepare: async (send) => send('POST', `/applications/${(await application(send)).id}/keys`, { name: 'the nightly job' }),
    apply: (send, { id }) => send('POST', `/keys/${id}/revoke`),
    fields: ['revoked_at'],
    hiddenValues: ['the nightly job'],
  }),
  change('view.create', '/views', {
    apply: (send) => send('POST', '/views', VIEW),
    fields: ['page', 'name', 'query', 'shared'],
    hiddenValues: ['the hidden view', 'hidden-user'],
  }),
  change('view.update', '/views', {
    prepare: (send) => send('POST', '/views', VIEW),
    apply: (send, { id }) => send('PATCH', `/views/${id}`, { name: 'renamed', query: { user: 'hidden-user' } }),
    fields: ['name'],
    hiddenValues: ['renamed', 'hidden-user'],
  }),
  change('view.delete', '/views', {
    prepare: (send) => send('POST', '/views', VIEW),
    apply: (send, { id }) => send('DELETE', `/views/${id}`),
    hiddenValues: ['the hidden view'],
  }),
  change('user.create', '/users', {
    apply: (send) => send('POST', '/users', { id: 'jane.roe', username: 'Jane Roe', attributes: { salary: 'enormous' } }),
    recordedId: () => '',
    fields: ['id', 'username', 'attributes'],
    hiddenValues: ['jane.roe', 'Jane Roe', 'salary', 'enormous'],
  }),
  change('user.update', '/users', {
    prepare: (send) => send('POST', '/users', { id: 'john.doe', username: 'John Doe' }),
    apply: (send) => send('PATCH', '/users/john.doe', { role: 'commander' }),
    recordedId: () => '',
    fields: ['role'],
    hiddenValues: ['john.doe', 'commander'],
  }),
  change('provider.create', '/providers', {
    apply: provider,
    fields: ['id', 'base_url', 'api_key'],
    hiddenValues: ['secret-host', 'sk-verysecret'],
  }),
  change('provider.update', '/providers', {
    prepare: provider,
    apply: (send) => send('PATCH', '/providers/acme', { headers: { 'x-team': 'research-team' }, timeout_ms: 4321 }),
    fields: ['headers', 'timeout_ms'],
    hiddenValues: ['x-team', 'research-team', '4321'],
  }),
  change('provider.delete', '/providers', {
    prepare: provider,
    apply: (send) => send('DELETE', '/providers/acme'),
    recordedId: () => 'acme',
    hiddenValues: ['secret-host'],
  }),
  change('model.put', '/providers/acme/models', {
    prepare: provider,
    apply: (send) => send('PUT', '/providers/acme/models/org%2Fsmall', { upstream_name: 'internal-name' }),
    recordedId: () => 'acme/org/small',
    fields: ['upstream_name'],
    hiddenValues: ['internal-name'],
  }),
  change('model.put', '/providers/acme/models', {
    prepare: provider,
    apply: (send) => send('POST', '/providers/acme/models', { models: [{ id: 'small' }, { id: 'large', input_price: 12.25 }] }),
    recordedId: () => 'acme',
    fields: ['models.small', 'models.large'],
    hiddenValues: ['12.25'],
  }),
  change('model.delete', '/providers/acme/models', {
    prepare: async (send) => {
      await provider(send)
      await send('PUT', '/providers/acme/models/small', {})
    },
    apply: (send) => send('DELETE', '/providers/acme/models/small'),
    recordedId: () => 'acme/small',
  }),
  change('policy_set.publish', '/policy-sets', {
    apply: (send) => send('POST', '/policy-sets', { source: POLICY }),
    fields: ['source'],
    hiddenValues: ['confidential-title'],
  }),
  change('policy_set.publish', '/policy-sets', {
    prepare: async (send) => {
      const first = await send('POST', '/policy-sets', { source: POLICY })
      await send('POST', '/policy-sets', { source: POLICY })
      return first
    },
    apply: (send, { id }) => send('POST', `/policy-sets/${id}/publish`),
    fields: ['active'],
    hiddenValues: ['confidential-title'],
  }),
  change('policy_set.publish', '/policy-sets', {
    apply: (send) => send('POST', '/policy-sets', { source: POLICY, note: 'after the merger' }),
    fields: ['source', 'note'],
    hiddenValues: ['confidential-title', 'after the merger'],
  }),
  change('policy_draft.create', '/policy-drafts', {
    apply: (send) => send('POST', '/policy-drafts', DRAFT),
    fields: ['title', 'note', 'source'],
    hiddenValues: ['the hidden plan', 'for the merger', 'confidential-title'],
  }),
  change('policy_draft.update', '/policy-drafts', {
    prepare: draft,
    apply: (send, { id }) =>
      send('PATCH', `/policy-drafts/${id}`, { revision: 1, title: 'another hidden plan', base_version: 'none' }),
    fields: ['title', 'base_version'],
    hiddenValues: ['another hidden plan'],
  }),
  change('policy_draft.delete', '/policy-drafts', {
    prepare: draft,
    apply: (send, { id }) => send('DELETE', `/policy-drafts/${id}`),
    hiddenValues: ['the hidden plan'],
  }),
  change('policy_test.create', '/policy-tests', {
    apply: (send) => send('POST', '/policy-tests', TEST),
    fields: ['name', 'at', 'input', 'expect'],
    hiddenValues: ['the hidden case', 'the hidden text'],
  }),
  change('policy_test.update', '/policy-tests', {
    prepare: (send) => send('POST', '/policy-tests', TEST),
    apply: (send, { id }) => send('PUT', `/policy-tests/${id}`, { ...TEST, name: 'renamed case' }),
    fields: ['name', 'at', 'input', 'expect'],
    hiddenValues: ['renamed case', 'the hidden text'],
  }),
  change('policy_test.import', '/policy-tests', {
    apply: async (send, _, workspace) => ({
      ...(await send('POST', '/policy-tests/import', {
        file: 'hidden-file.yaml',
        source: 'tests: [{ name: hidden, at: input, expect: { verdict: allow } }]',
      })),
      id: workspace,
    }),
    fields: ['file', 'source'],
    hiddenValues: ['hidden-file'],
  }),
  change('admin_token.issue', '/tokens?limit=100', {
    apply: (send) => send('POST', '/tokens', { name: 'the second admin' }),
    fields: ['name', 'scopes'],
    hiddenValues: ['the second admin'],
  }),
  change('admin_token.revoke', '/tokens?limit=100', {
    prepare: (send) => send('POST', '/tokens', { name: 'the third admin' }),
    apply: (send, { id }) => send('POST', `/tokens/${id}/revoke`),
    fields: ['revoked_at'],
    hiddenValues: ['the third admin'],
  }),
  change('workspace.update', '/workspaces?limit=100', {
    apply: (send, _, workspace) =>
      send('PATCH', `/workspaces/${workspace}`, { settings: { issuer: 'https://id.example', claims: { id: 'uid' } } }),
    fields: ['settings.issuer', 'settings.claims.id'],
    hiddenValues: ['id.example'],
  }),
  change('collection.create', '/collections', {
    apply: (send) =>
      send('POST', '/collections', { name: 'the secret plans', classification: 'internal', acl: { users: ['jane.roe'] } }),
    fields: ['name', 'classification', 'acl.users'],
    hiddenValues: ['secret plans', 'jane.roe'],
  }),
  change('collection.update', '/collections', {
    prepare: collection,
    apply: (send, { id }) =>
      send('PATCH', `/collections/${id}`, { description: 'for insiders', acl: 'everyone', applications: [] }),
    fields: ['description', 'acl', 'applications'],
    hiddenValues: ['insiders', 'everyone'],
  }),
  change('collection.delete', '/collections', {
    prepare: collection,
    apply: (send, { id }) => send('DELETE', `/collections/${id}`),
  }),
  change('document.create', '/documents', {
    prepare: collection,
    apply: (send, { id }) => ingest(send, id, { documents: [{ key: 'plan.md', content: 'Attack at dawn.' }], acl: 'everyone' }),
    fields: ['content', 'acl'],
    hiddenValues: ['plan.md', 'Attack at dawn', 'everyone'],
  }),
  change('document.update', '/documents', {
    prepare: document,
    apply: (send, { collection_id }) =>
      ingest(send, collection_id, { documents: [{ key: 'plan.md', content: 'Attack at noon.' }] }),
    fields: ['content'],
    hiddenValues: ['plan.md', 'noon'],
  }),
  change('document.update', '/documents', {
    prepare: document,
    apply: (send, { id }) => send('PATCH', `/documents/${id}`, { acl: { roles: ['general'] }, source: 'the headquarters' }),
    fields: ['acl.roles', 'source'],
    hiddenValues: ['general', 'headquarters'],
  }),
  change('document.clear_flags', '/documents', {
    prepare: document,
    apply: (send, { id }) => send('POST', `/documents/${id}/clear-flags`),
    fields: ['flags'],
    hiddenValues: ['plan.md'],
  }),
  change('document.read', '/documents', {
    prepare: document,
    apply: (send, { id }) => send('GET', `/documents/${id}/chunks`),
    fields: ['content'],
    hiddenValues: ['plan.md', 'dawn'],
  }),
  change('document.delete', '/documents', {
    prepare: document,
    apply: (send, { id }) => send('DELETE', `/documents/${id}`),
    hiddenValues: ['plan.md', 'dawn'],
  }),
]
