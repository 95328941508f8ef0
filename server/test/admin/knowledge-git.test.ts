import { readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll, closeAfterTest } from '../support/close-after-all.ts'
import { startGitServer } from '../support/git-server.ts'
import { startServer } from '../support/server.ts'
import { testFolder } from '../support/temporary-folder.ts'
import { adminClient, type Json } from './client.ts'

const TOKEN = 'ghp_hidden'
const server = await closeAfterAll(startServer({ GATEHOUSE_ALLOW_PRIVATE_URLS: '1' }))
const admin = adminClient(server)
const { sources } = server.context
const workspace = await admin.workspace()

let collection: string
let folder: string
let repository: Awaited<ReturnType<typeof startGitServer>>
beforeEach(async () => {
  folder = testFolder()
  repository = await closeAfterTest(startGitServer(folder, TOKEN))
  collection = (await admin.create('/collections', { name: crypto.randomUUID() }, { workspace })).id
})

const create = async (more: object = {}): Promise<Json> => {
  const settings = { collection_id: collection, name: 'wiki', kind: 'git', url: repository.url, secret: TOKEN }
  const { id } = await admin.create('/knowledge/sources', { ...settings, ...more }, { workspace })
  await sources.idle()
  return admin.get(`/knowledge/sources/${id}`, { workspace })
}
/** Makes the source due, as its interval does. */
const runAgain = async (id: string): Promise<Json> => {
  await server.context.db
    .updateTable('knowledge_source')
    .set({ next_sync_at: new Date(0) })
    .execute()
  await sources.idle()
  return admin.get(`/knowledge/sources/${id}`, { workspace })
}
const documents = async (): Promise<Json[]> =>
  (await admin.get(`/documents?collection=${collection}&limit=100`, { workspace })).data.sort((a: Json, b: Json) =>
    a.key < b.key ? -1 : 1,
  )
const keys = async (): Promise<string[]> => (await documents()).map(({ key }) => key)
const counts = ({ last_sync: { at: _, ...numbers } }: Json) =>
  Object.fromEntries(Object.entries(numbers).filter(([, count]) => count !== 0))
const put = (...paths: readonly string[]) => paths.map((path) => repository.put(path, `# ${path}\n\nText of ${path}.`))

describe('sources of knowledge: Git', () => {
  test('copies the files of the default branch, without links, hidden files and files of Git LFS', async () => {
    put('README.md', 'travel/über trains.md', '.github/x.md', 'travel/.draft.md')
    repository.put('plan.md', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n')
    symlinkSync('README.md', join(folder, 'wiki.git/link.md'))
    symlinkSync('/etc/passwd', join(folder, 'wiki.git/passwd.md'))
    repository.commit()
    const source = await create()
    expect([source.failure, counts(source)]).toEqual([null, { added: 2, failed: 1 }])
    const base = repository.url.replace('.git', '')
    expect((await documents()).map(({ key, source: address, failure }) => [key, address, failure?.code])).toEqual([
      ['wiki/README.md', `${base}/README.md`, undefined],
      ['wiki/plan.md', `${base}/plan.md`, 'unsupported'],
      ['wiki/travel/über trains.md', `${base}/travel/über trains.md`, undefined],
    ])
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('gatehouse-git-'))).toEqual([])
  })

  test('fetches nothing while the commit is the same, and reads only changed files after it', async () => {
    put(...Array.from({ length: 10 }, (_, at) => `${at}.md`))
    repository.commit()
    const { id } = await create()
    repository.requests.length = 0
    expect(counts(await runAgain(id))).toEqual({ unchanged: 10 })
    expect(repository.requests).toEqual(['GET /wiki.git/info/refs?service=git-upload-pack', 'POST /wiki.git/git-upload-pack'])
    repository.put('3.md', 'Other text.')
    repository.remove('4.md')
    put('sub/new.md')
    repository.git('gc', '--quiet')
    repository.commit()
    expect(counts(await runAgain(id))).toEqual({ added: 1, changed: 1, unchanged: 8, deleted: 1 })
    expect(await keys()).toContain('wiki/sub/new.md')
    repository.git('rm', '-rq', '.')
    put('only.md')
    repository.commit()
    expect((await runAgain(id)).failure.code).toBe('deletion_refused')
    // The same commit is compared again, because the run was not complete.
    expect((await runAgain(id)).failure.code).toBe('deletion_refused')
    await admin.post(`/knowledge/sources/${id}/sync`, { force: true }, { workspace })
    await sources.idle()
    expect(await keys()).toEqual(['wiki/only.md'])
  })

  test('a folder and a branch limit the source', async () => {
    put('docs/a.md', 'docs/sub/b.md', 'docs-old/c.md', 'd.md')
    repository.commit()
    repository.git('checkout', '-qb', 'release/2')
    put('docs/e.md')
    repository.commit()
    repository.git('checkout', '-q', 'main')
    await create({ folder: 'docs', branch: 'release/2', link: 'https://git.example.com/wiki/blob/release/2/docs/' })
    expect((await documents()).map(({ key, source }) => [key, source])).toEqual([
      ['wiki/a.md', 'https://git.example.com/wiki/blob/release/2/docs/a.md'],
      ['wiki/e.md', 'https://git.example.com/wiki/blob/release/2/docs/e.md'],
      ['wiki/sub/b.md', 'https://git.example.com/wiki/blob/release/2/docs/sub/b.md'],
    ])
  })

  test('the failure says what to do', async () => {
    put('a.md')
    repository.commit()
    const failure = async (name: string, more: object) => (await create({ name, ...more })).failure.message
    expect(await failure('a', { secret: 'wrong' })).toBe(
      'The server refused the credentials (status 401). Check the secret and its rights.',
    )
    expect(await failure('b', { branch: 'unknown' })).toBe('The repository has no branch unknown.')
    expect(await failure('c', { url: repository.url.replace('wiki', 'unknown') })).toMatch(
      /^The server does not know the address/,
    )
    expect(await keys()).toEqual([])
  })
})
