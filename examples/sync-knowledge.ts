// Copies a site with its groups and permissions into a collection. `readSite` reads a folder that stands for SharePoint; a tool of your own
// replaces it by calls of the site's API, and keeps the rest. It can be repeated, and a run that was interrupted is continued by the next:
//   GATEHOUSE_URL=… GATEHOUSE_ADMIN=… node examples/sync-knowledge.ts examples/sharepoint --collection people [--force]
import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Names {
  readonly users?: readonly string[]
  readonly groups?: readonly string[]
}

interface Site {
  /** Every document has a source that begins with it. */
  readonly url: string
  readonly groups: Readonly<Record<string, Names & { readonly name: string }>>
  /** Readers by the start of a path. The longest start counts. */
  readonly permissions: Readonly<Record<string, Names>>
}

interface Listed {
  readonly id: string
  readonly key: string
  readonly content_hash: string
  readonly warning_count: number | null
  readonly state: string
  readonly acl: unknown
}

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { collection: { type: 'string' }, force: { type: 'boolean', default: false } },
})
const { GATEHOUSE_URL = 'http://127.0.0.1:8787', GATEHOUSE_ADMIN } = process.env
const [folder] = positionals
if (!GATEHOUSE_ADMIN || folder === undefined || values.collection === undefined)
  throw new Error('usage: GATEHOUSE_ADMIN=ga_… node examples/sync-knowledge.ts FOLDER --collection NAME')

async function call<T>(method: string, path: string, body?: object | Buffer): Promise<T> {
  const isFile = Buffer.isBuffer(body)
  const response = await fetch(`${GATEHOUSE_URL}/admin/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${GATEHOUSE_ADMIN}`,
      ...(body && { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
    },
    ...(body && { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Reads a list page by page. */
async function* list<T>(path: string): AsyncGenerator<T> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `${path.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${cursor}`}`
    const page = await call<{ data: T[]; next_cursor: string | null }>('GET', path + query)
    yield* page.data
    cursor = page.next_cursor
  }
}

const readSite = (path: string): Site => JSON.parse(readFileSync(join(path, 'site.json'), 'utf8'))
const pathsOf = (path: string): string[] =>
  globSync('**/*', { cwd: join(path, 'files') })
    .filter((key) => statSync(join(path, 'files', key)).isFile())
    .sort()

/** Access lists name a group by the id of the site, so that two sites may both have a group `staff`. */
const groupId = (site: Site, name: string): string => `${site.url}#${name}`

/** In the form of the API: sorted, and without empty lists. */
function aclOf(site: Site, path: string): object {
  const starts = Object.keys(site.permissions).filter((start) => path.startsWith(start))
  const { users = [], groups = [] } = site.permissions[starts.sort((a, b) => b.length - a.length)[0] ?? ''] ?? {}
  const lists = { users: users.toSorted(), groups: groups.map((name) => groupId(site, name)).toSorted() }
  return Object.fromEntries(Object.entries(lists).filter(([, names]) => names.length > 0))
}

async function syncGroups(site: Site): Promise<string> {
  const known = new Map<string, string>()
  const groups = list<{ id: string; name: string }>(`/user-groups?source=${encodeURIComponent(site.url)}`)
  for await (const { id, name } of groups) known.set(id, name)
  for (const [name, group] of Object.entries(site.groups)) {
    const id = groupId(site, name)
    if (known.get(id) !== group.name) await call('POST', '/user-groups', { id, name: group.name, source: site.url })
    known.delete(id)
    await syncMembers(id, { user: group.users ?? [], group: (group.groups ?? []).map((other) => groupId(site, other)) })
  }
  for (const id of known.keys()) await call('DELETE', `/user-groups/${encodeURIComponent(id)}`)
  return `${Object.keys(site.groups).length} groups, ${known.size} deleted`
}

async function syncMembers(id: string, wanted: Readonly<Record<'user' | 'group', readonly string[]>>): Promise<void> {
  const path = `/user-groups/${encodeURIComponent(id)}/members`
  const present = { user: new Set<string>(), group: new Set<string>() }
  for await (const member of list<{ kind: 'user' | 'group'; id: string }>(path)) present[member.kind].add(member.id)
  for (const kind of ['user', 'group'] as const) {
    const removed = [...present[kind]].filter((member) => !wanted[kind].includes(member))
    const added = wanted[kind].filter((member) => !present[kind].has(member))
    // A request takes 1,000 members of each kind. Members that have lost access are removed first.
    for (let at = 0; at < removed.length; at += 1_000)
      await call('POST', path, { remove: { [`${kind}s`]: removed.slice(at, at + 1_000) } })
    for (let at = 0; at < added.length; at += 1_000)
      await call('POST', path, { add: { [`${kind}s`]: added.slice(at, at + 1_000) } })
  }
}

async function syncDocuments(site: Site, path: string, collection: string, force: boolean): Promise<string> {
  const stored = new Map<string, Listed>()
  const query = new URLSearchParams({ collection, source: `${site.url}/` })
  // An attachment comes and goes with the file that contains it.
  for await (const document of list<Listed & { parent_id: string | null }>(`/documents?${query}`))
    if (document.parent_id === null) stored.set(document.key, document)
  const counts: Record<string, number> = {}
  for (const key of pathsOf(path)) {
    const file = readFileSync(join(path, 'files', key))
    const known = stored.get(key)
    stored.delete(key)
    const outcome = await syncDocument(collection, { key, file, acl: aclOf(site, key), source: `${site.url}/${key}` }, known)
    counts[outcome] = (counts[outcome] ?? 0) + 1
  }
  const missing = [...stored.keys()]
  for (let at = 0; at < missing.length; at += 1_000)
    await call('POST', `/collections/${collection}/documents/delete`, { keys: missing.slice(at, at + 1_000), force })
  if (missing.length > 0) counts.deleted = missing.length
  return Object.entries(counts)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(', ')
}

interface SiteFile {
  readonly key: string
  readonly file: Buffer
  readonly acl: object
  readonly source: string
}

async function syncDocument(collection: string, { key, file, acl, source }: SiteFile, known?: Listed): Promise<string> {
  // Without warnings an older version has read the file: it is uploaded again.
  const isRead = known?.state === 'indexed' && known.warning_count !== null
  const isSameFile = isRead && known.content_hash === createHash('sha256').update(file).digest('hex')
  const isSameAcl = known !== undefined && JSON.stringify(sorted(known.acl)) === JSON.stringify(sorted(acl))
  if (isSameFile && isSameAcl) return 'unchanged'
  // The readers change first: the old text must not be shown to its former readers while the new one is read.
  if (known && !isSameAcl) await call('PATCH', `/documents/${known.id}`, { acl })
  if (isSameFile) return 'relabelled'
  const query = new URLSearchParams({ key, source, acl: JSON.stringify(acl) })
  const { data } = await call<{ data: { outcome: string; error: { message: string } | null }[] }>(
    'POST',
    `/collections/${collection}/documents?${query}`,
    file,
  )
  const [result] = data
  if (result?.error) console.error(`${key}: ${result.error.message}`)
  return result?.outcome ?? 'failed'
}

const sorted = (acl: unknown): [string, unknown][] => Object.entries(acl ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))

async function collectionId(name: string): Promise<string> {
  for await (const { id, name: other } of list<{ id: string; name: string }>('/collections')) if (other === name) return id
  // The collection has no access list: the lists of its documents decide.
  return (await call<{ id: string }>('POST', '/collections', { name, classification: 'internal' })).id
}

const site = readSite(folder)
console.log(`groups: ${await syncGroups(site)}`)
console.log(`documents: ${await syncDocuments(site, folder, await collectionId(values.collection), values.force)}`)
