import fs from 'node:fs'
import { addRemote, fetch, type HttpClient, init, listServerRefs, readBlob, TREE, walk } from 'isomorphic-git'
import { FetchError, MAX_FILE_BYTES } from '../document-fetcher.ts'
import { isRead } from '../source.ts'
import { MOST_FILES, type SourceFile, TOO_LARGE, TOO_MANY_FILES } from './connector.ts'
import { SourceHttp } from './source-http.ts'

export interface FetchTask {
  readonly kind: 'fetch'
  /** An empty folder for the repository. */
  readonly gitdir: string
  readonly url: string
  readonly folder: string
  /** null: the default branch. */
  readonly branch: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly allowPrivateUrls: boolean
  /** The commit of the last complete run. */
  readonly cursor: string | null
}

export interface ReadTask {
  readonly kind: 'read'
  readonly gitdir: string
  /** Id of the blob. */
  readonly version: string
}

/** A failure of the source, or of the file that is read. */
interface Refused {
  readonly refusal: { readonly code: FetchError['code'] | 'unsupported'; readonly message: string }
}

export interface Fetched {
  readonly commit: string
  /** undefined: the commit is that of the last run. */
  readonly files: readonly SourceFile[] | undefined
}

export type GitTask = FetchTask | ReadTask
export type GitResult = { readonly value: Fetched | Uint8Array } | Refused

/** The pack of one commit, which is in memory while it is indexed. */
const MAX_PACK_BYTES = 100 * 1_048_576
const LFS_POINTER = 'version https://git-lfs.github.com/spec/'
const SYMBOLIC_LINK = 0o120000

/** Objects of the repository that this thread has read. */
const cache = {}

/** Runs in the thread of git-connector.ts, because a repository is unpacked by JavaScript. */
export async function runGitTask(task: GitTask): Promise<GitResult> {
  try {
    return task.kind === 'fetch' ? { value: await fetchCommit(task) } : await readFile(task)
  } catch (error) {
    const { code, message } = fetchErrorOf(error)
    return { refusal: { code, message } }
  }
}

async function fetchCommit(task: FetchTask): Promise<Fetched> {
  const { gitdir, url, branch, headers, allowPrivateUrls, cursor, folder } = task
  const sourceHttp = new SourceHttp({ allowPrivateUrls })
  try {
    // A new object for each call, because the library adds headers to it.
    const remoteOf = () => ({ http: clientOf(sourceHttp), url, headers: { ...headers } })
    const ref = branch === null ? 'HEAD' : `refs/heads/${branch}`
    const refs = await listServerRefs({ ...remoteOf(), prefix: ref })
    const commit = refs.find((found) => found.ref === ref)?.oid
    if (commit === undefined)
      throw new FetchError(
        'not_fetched',
        branch === null ? 'The repository has no commit.' : `The repository has no branch ${branch}.`,
      )
    if (commit === cursor) return { commit, files: undefined }
    await init({ fs, gitdir, bare: true })
    await addRemote({ fs, gitdir, remote: 'origin', url })
    const fetching = { fs, gitdir, cache, remote: 'origin', ref: branch ?? 'HEAD', depth: 1, singleBranch: true, tags: false }
    // A newer commit if the branch has moved since its refs were listed.
    const fetched = (await fetch({ ...remoteOf(), ...fetching })).fetchHead ?? commit
    return { commit: fetched, files: await listFiles(gitdir, fetched, folder) }
  } finally {
    await sourceHttp.close()
  }
}

/** Requests of isomorphic-git, with the address guard and limits of all connectors. */
const clientOf = (sourceHttp: SourceHttp): HttpClient => ({
  request: async ({ url, method = 'GET', headers = {}, body }) => {
    const sent = body && Buffer.concat(await Array.fromAsync(body as AsyncIterable<Uint8Array>))
    const response = await sourceHttp.send({
      ...{ method: method === 'POST' ? 'POST' : 'GET', url: new URL(url), headers, body: sent },
      ...{ maxBytes: MAX_PACK_BYTES, signal: new AbortController().signal },
    })
    const sentHeaders = Object.entries(response.headers).map(([name, value = '']) => [name, String(value)])
    return {
      ...{ url, method, statusCode: 200, statusMessage: 'OK', headers: Object.fromEntries(sentHeaders) },
      body: [response.body].values() as unknown as AsyncIterableIterator<Uint8Array>,
    }
  },
})

/** Files below the folder, without links and submodules. */
async function listFiles(gitdir: string, commit: string, folder: string): Promise<SourceFile[]> {
  const files: SourceFile[] = []
  await walk({
    ...{ fs, gitdir, cache, trees: [TREE({ ref: commit })] },
    map: async (path, [entry]) => {
      if (path === '.') return true
      const isFolder = (await entry?.type()) === 'tree'
      const name = isFolder ? `${path}/` : path
      const below = name.slice(folder.length)
      // Returns null for folders that are not entered.
      if (isFolder) return folder.startsWith(name) || (name.startsWith(folder) && isRead(below.slice(0, -1))) ? true : null
      if ((await entry?.type()) !== 'blob' || !name.startsWith(folder) || !isRead(below)) return null
      if ((await entry?.mode()) === SYMBOLIC_LINK) return null
      files.push({ path: below, version: (await entry?.oid()) ?? '' })
      if (files.length > MOST_FILES) throw new FetchError('too_large', TOO_MANY_FILES)
      return null
    },
  })
  return files
}

async function readFile({ gitdir, version: oid }: ReadTask): Promise<GitResult> {
  const { blob } = await readBlob({ fs, gitdir, oid, cache })
  if (blob.length > MAX_FILE_BYTES) return { refusal: TOO_LARGE }
  if (Buffer.from(blob.subarray(0, LFS_POINTER.length)).toString() === LFS_POINTER) return { refusal: IN_LFS }
  return { value: blob }
}

const IN_LFS = {
  code: 'unsupported',
  message: 'The file is stored in Git LFS, which is not read. Store it in the repository, or upload it.',
} as const

function fetchErrorOf(error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const { code = 'unknown' } = error as { code?: unknown }
  return new FetchError(
    'not_fetched',
    `The repository cannot be read (${code}). Check that the URL is that of a Git repository.`,
    error,
  )
}
