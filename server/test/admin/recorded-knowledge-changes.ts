import type { Json } from './client.ts'
import type { RecordedChange, Send } from './recorded-changes.ts'

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

export const KNOWLEDGE_CHANGES: readonly RecordedChange[] = [
  {
    action: 'collection.create',
    apply: (send) =>
      send('POST', '/collections', { name: 'the secret plans', classification: 'internal', acl: { users: ['jane.roe'] } }),
    fields: ['name', 'classification', 'acl.users'],
    hiddenValues: ['secret plans', 'jane.roe'],
    listPath: '/collections',
  },
  {
    action: 'collection.update',
    prepare: collection,
    apply: (send, { id }) =>
      send('PATCH', `/collections/${id}`, { description: 'for insiders', acl: 'everyone', applications: [] }),
    fields: ['description', 'acl', 'applications'],
    hiddenValues: ['insiders', 'everyone'],
    listPath: '/collections',
  },
  {
    action: 'collection.delete',
    prepare: collection,
    apply: async (send, { id }) => {
      await send('DELETE', `/collections/${id}`)
      return { id }
    },
    fields: [],
    hiddenValues: [],
    listPath: '/collections',
  },
  {
    action: 'document.create',
    prepare: collection,
    apply: (send, { id }) => ingest(send, id, { documents: [{ key: 'plan.md', content: 'Attack at dawn.' }], acl: 'everyone' }),
    fields: ['content', 'acl'],
    hiddenValues: ['plan.md', 'Attack at dawn', 'everyone'],
    listPath: '/documents',
  },
  {
    action: 'document.update',
    prepare: document,
    apply: (send, { collection_id }) =>
      ingest(send, collection_id, { documents: [{ key: 'plan.md', content: 'Attack at noon.' }] }),
    fields: ['content'],
    hiddenValues: ['plan.md', 'noon'],
    listPath: '/documents',
  },
  {
    action: 'document.update',
    prepare: document,
    apply: (send, { id }) => send('PATCH', `/documents/${id}`, { acl: { roles: ['general'] }, source: 'the headquarters' }),
    fields: ['acl.roles', 'source'],
    hiddenValues: ['general', 'headquarters'],
    listPath: '/documents',
  },
  {
    action: 'document.clear_flags',
    prepare: document,
    apply: (send, { id }) => send('POST', `/documents/${id}/clear-flags`),
    fields: ['flags'],
    hiddenValues: ['plan.md'],
    listPath: '/documents',
  },
  {
    action: 'document.read',
    prepare: document,
    apply: async (send, { id }) => {
      await send('GET', `/documents/${id}/chunks`)
      return { id }
    },
    fields: ['content'],
    hiddenValues: ['plan.md', 'dawn'],
    listPath: '/documents',
  },
  {
    action: 'document.delete',
    prepare: document,
    apply: async (send, { id }) => {
      await send('DELETE', `/documents/${id}`)
      return { id }
    },
    fields: [],
    hiddenValues: ['plan.md', 'dawn'],
    listPath: '/documents',
  },
]
