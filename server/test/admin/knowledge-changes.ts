import { setTimeout } from 'node:timers/promises'
import type { Json } from './client.ts'
import { change, type RecordedChange, type Send } from './recorded-change.ts'

const SOURCE = { kind: 's3', url: 'https://localhost.invalid/hidden-bucket', username: 'HIDDENKEYID', secret: 'hidden secret' }

const collection = async (send: Send) => {
  const { id } = await send('POST', '/collections', { name: crypto.randomUUID() })
  const documents = [{ key: 'plan.md', content: 'Attack at dawn.' }]
  const { data } = await send('POST', `/collections/${id}/documents`, { documents })
  return { id, document_id: data[0].document_id }
}

/** Creates the object of a path. */
export const KNOWLEDGE_GIVEN: Readonly<Record<string, (send: Send) => Promise<Json>>> = {
  collections: collection,
  documents: async (send) => ({ id: (await collection(send)).document_id }),
  sources: async (send) => {
    const { id } = await collection(send)
    const source = await send('POST', '/knowledge/sources', { collection_id: id, name: 'the hidden wiki', ...SOURCE })
    // The first run changes the source; it is over before the test begins.
    for (;;) {
      const { last_sync: last } = await send('GET', `/knowledge/sources/${source.id}`)
      if (last !== null) return source
      await setTimeout(20)
    }
  },
  'failed documents': async (send) => {
    const { id } = await collection(send)
    const { data } = await send('POST', `/collections/${id}/documents`, { documents: [{ key: 'empty.md', content: '' }] })
    return { id: data[0].document_id }
  },
}

export const KNOWLEDGE_CHANGES: readonly RecordedChange[] = [
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
  change('document.delete', 'POST /collections/{id}/documents/delete', [], ['plan.md'], { keys: ['plan.md'], force: true }),
  {
    ...change(
      'knowledge_source.create',
      'POST /knowledge/sources',
      ['collection_id', 'name', 'kind', 'url', 'username', 'secret', 'enabled'],
      ['the hidden wiki', 'hidden-bucket', 'HIDDENKEYID', 'hidden secret'],
      { collection_id: '{id}', name: 'the hidden wiki', ...SOURCE, enabled: false },
    ),
    given: 'collections',
  },
  change('knowledge_source.update', 'PATCH /knowledge/sources/{id}', ['folder', 'secret'], ['hidden-folder', 'other secret'], {
    folder: 'hidden-folder',
    secret: 'the other secret',
  }),
  change('knowledge_source.sync', 'POST /knowledge/sources/{id}/sync', ['force'], ['hidden-bucket'], { force: true }),
  change('knowledge_source.delete', 'DELETE /knowledge/sources/{id}', [], ['the hidden wiki']),
]
