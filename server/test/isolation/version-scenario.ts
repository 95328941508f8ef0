import { newUuid } from '../../src/platform/lib/id.ts'
import { NOW, type Scenario } from './scenario.ts'

/** Writes, lists, relabels and retires versions of a large document, and lets the job remove them. */
export async function writeVersions(
  { db, call, keys, workspaceId, uuid, transact }: Scenario,
  { collectionId, collection, key }: { readonly collectionId: string; readonly collection: object; readonly key: string },
): Promise<void> {
  const chunk = { position: 0, headings: [], content: 'amber', tokens: 1, flagged: false }
  const content = { title: 'x', language: null, chunks: [chunk] }
  const labels = { classification: 'public', acl: null, limits: { classification: null, acl: null } }
  const document = await call<object>('knowledge/document-store.findDocumentByKey', db, workspaceId, collectionId, key)
  const begin = async () => {
    const version = await transact((tx) =>
      call<{ partition: { id: number }; document: string }>('knowledge/large-versions.beginVersion', tx, collection, document, 1),
    )
    keys.add(String(version.partition.id))
    return version
  }
  const version = await begin()
  await call('knowledge/large-versions.writeVersion', db, workspaceId, version, content)
  await call('retrieval/list-hidden.listHidden', db, version.partition.id)
  await transact(async (tx) => {
    const holder = { workspace: uuid, document: version.document, title: 'x' }
    await call('knowledge/chunk-store.addHiddenChunks', tx, holder, { ...version, firstPosition: 5 }, [chunk])
    await call('retrieval/entries.addHidden', tx, version.partition, [{ id: newUuid(), title: '', text: 'amber' }])
  })
  await transact(async (tx) => {
    await call('knowledge/version-store.extendVersion', tx, workspaceId, version.partition.id)
    await call('knowledge/large-versions.listVersion', tx, collection, version, labels)
    const large = { ...document, partitionId: version.partition.id, firstPosition: 1, chunks: 1 }
    await call('knowledge/large-versions.relabelVersion', tx, large, labels)
    await call('knowledge/large-versions.retireVersion', tx, large)
  })
  const other = await begin()
  await transact(async (tx) => {
    await call('knowledge/version-store.freePosition', tx, document, 1, undefined)
    await call('knowledge/version-store.takeVersion', tx, workspaceId, other.partition.id)
    const positions = { partitionId: other.partition.id, firstPosition: 9, chunks: 1 }
    await call('knowledge/version-store.insertVersion', tx, document, positions, { expired: false })
    await call('knowledge/version-store.expireAll', tx, document)
    await call('retrieval/empty-partition.emptyPartition', tx, version.partition.id, 1)
  })
  await call('knowledge/version-store.expireVersions', db, workspaceId, [other.partition.id])
  const incoming = { key, name: key, bytes: new Uint8Array() }
  const read = {
    content: { ...content, chunks: Array.from({ length: 600 }, (_, position) => ({ ...chunk, position })) },
    attached: [],
  }
  await call('knowledge/write-in-parts.writeLarge', db, collection, incoming, read, NOW)
  while (await call<boolean>('knowledge/sweep.sweepVersions', db, 10));
  await transact(async (tx) => {
    const partition = await call<{ id: number }>('retrieval/partition.openPartition', tx, uuid, 'knowledge', newUuid(), 'en')
    keys.add(String(partition.id))
    await call('retrieval/empty-partition.deletePartition', tx, partition.id)
  })
}
