import { expect, test, vi } from 'vitest'
import { adminClient, type Json } from '../admin/client.ts'
import { startServerProcess } from '../support/server-process.ts'
import { testFolder } from '../support/temporary-folder.ts'

const PAGES = 30

test('uploads: every accepted file becomes a document when the server is killed before it has read them', async () => {
  const GATEHOUSE_DATA = testFolder()
  const killed = await startServerProcess({ GATEHOUSE_DATA })
  const admin = adminClient({ base: killed.base, demo: killed.demo() })
  const { id } = await admin.create('/collections', { name: 'killed' })
  const documents = Array.from({ length: PAGES }, (_, page) => ({
    key: `${page}.md`,
    content: `# Page ${page}\n\n${`Sentence ${page} of it. `.repeat(200)}`,
  }))
  const { data } = await admin.post(`/collections/${id}/documents?wait=false`, { documents })
  expect(data.map(({ outcome }: Json) => outcome)).toEqual(documents.map(() => 'queued'))
  await killed.stop('SIGKILL')

  const restarted = await startServerProcess({ GATEHOUSE_DATA })
  try {
    const { get } = adminClient({ base: restarted.base, demo: restarted.demo() })
    const states = async () => {
      const { data: stored } = await get('/documents?collection=killed&limit=100')
      return stored.map(({ key, state, version }: Json) => `${key} ${state} ${version}`).toSorted()
    }
    // A file that the killed server was reading waits until its lease is over.
    await vi.waitFor(async () => expect(await states()).toEqual(documents.map(({ key }) => `${key} indexed 1`).toSorted()), {
      ...{ timeout: 150_000, interval: 500 },
    })
  } finally {
    await restarted.remove()
    await killed.remove()
  }
}, 300_000)
