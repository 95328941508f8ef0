import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Piscina } from 'piscina'
import { createThreadPool } from '../../../platform/lib/thread-pool.ts'
import { FetchError } from '../document-fetcher.ts'
import type { KnowledgeSource } from '../source.ts'
import type { Connector, FileProblem, Listing, SourceFile } from './connector.ts'
import type { Fetched, GitResult, GitTask } from './git-worker.ts'
import type { SourceHttp } from './source-http.ts'

interface Repository extends Pick<KnowledgeSource, 'url' | 'folder' | 'branch' | 'username'> {
  readonly secret: string | null
}

/** Servers of Git that take tokens accept any user name, or this one. */
const USER_NAME = 'x-access-token'
const MEMORY_MB = 1_024
/** Between two files, while documents are stored. The thread keeps what it has unpacked. */
const IDLE_MS = 120_000

/**
 * Files of the newest commit of a branch, over HTTPS. The id of a blob is its version. A thread of the run fetches that commit alone into
 * a temporary folder, and reads from it.
 */
export function gitConnector(repository: Repository, { allowPrivateUrls }: SourceHttp, signal: AbortSignal): Connector {
  let opened: Promise<Work> | undefined
  const run = async (taskOf: (gitdir: string) => GitTask): Promise<GitResult> => {
    opened ??= openWork()
    const { threads, gitdir } = await opened
    return threads.run(taskOf(gitdir), { signal }).catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error
      throw new FetchError('too_large', 'The repository needs too much memory. Use several smaller ones.', error)
    })
  }
  const { url, folder, branch } = repository
  return {
    list: async (cursor) => {
      const headers = authorization(repository)
      const result = await run((gitdir) => ({ kind: 'fetch', gitdir, url, folder, branch, headers, allowPrivateUrls, cursor }))
      if ('refusal' in result) throw new FetchError(result.refusal.code as FetchError['code'], result.refusal.message)
      return listingOf(result.value as Fetched, async ({ version }) => {
        const read = await run((gitdir) => ({ kind: 'read', gitdir, version }))
        return 'refusal' in read ? read.refusal : (read.value as Uint8Array)
      })
    },
    close: async () => {
      if (!opened) return
      const { threads, gitdir } = await opened
      await threads.destroy()
      await rm(gitdir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

const listingOf = (
  { commit, files }: Fetched,
  read: (file: SourceFile) => Promise<Uint8Array | FileProblem>,
): Listing | undefined => files && { files, cursor: commit, read }

interface Work {
  readonly threads: Piscina<GitTask, GitResult>
  readonly gitdir: string
}

async function openWork(): Promise<Work> {
  const filename = new URL('./git-worker.ts', import.meta.url).href
  const resourceLimits = { maxOldGenerationSizeMb: MEMORY_MB }
  const options = { filename, name: 'runGitTask', maxThreads: 1, idleTimeout: IDLE_MS, resourceLimits }
  const threads = await createThreadPool<GitTask, GitResult>(options)
  return { threads, gitdir: await mkdtemp(join(tmpdir(), 'gatehouse-git-')) }
}

function authorization({ username, secret }: Repository): Record<string, string> {
  if (secret === null) return {}
  return { authorization: `Basic ${Buffer.from(`${username ?? USER_NAME}:${secret}`).toString('base64')}` }
}
