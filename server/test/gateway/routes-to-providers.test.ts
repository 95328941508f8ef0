import { expect, test } from 'vitest'
import { registeredRoutes } from '../admin/operations.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

// Each route that can reach a provider runs the pipeline: every request that a provider gets is in an audit record (issue: litellm-like
// gateways forgot their policies on some routes). The import rules in .dependency-cruiser.cjs say the same about the code.

const governed = await closeAfterAll(sharedGoverned())
const application = await governed.application({
  default_model: 'scripted',
  settings: { memory: { enabled: true, capture: 'off' } },
})

/** A body that each API which takes content can read; fields of other APIs are left out. */
const BODIES: readonly ((text: string) => object)[] = [
  (text) => ({ model: 'scripted', messages: [{ role: 'user', content: text }] }),
  (text) => ({ model: 'scripted', max_tokens: 9, messages: [{ role: 'user', content: text }] }),
  (text) => ({ model: 'scripted', input: text }),
  (text) => ({ model: 'scripted', prompt: text }),
  (text) => ({ query: text }),
  (text) => ({ content: text, scope: 'application', kind: 'fact', classification: 'internal' }),
]

/** Sends every body to a path, with the credentials of both APIs. Returns the ids of the audit records. */
async function sendAll(path: string, text: string): Promise<readonly string[]> {
  const { admin_token } = governed.demo
  const ids: string[] = []
  for (const body of BODIES) {
    const token = path.startsWith('/admin/') ? admin_token : application.token
    const response = await governed.api('POST', path, { token, json: body(text), headers: { 'anthropic-version': '2023-06-01' } })
    const id = response.headers.get('x-audit-id')
    if (id !== null) ids.push(id)
  }
  return ids
}

/** The routes that may reach a provider. A new one must be added here, after its records have been looked at. */
const REACHING = [
  ...['/chat/completions', '/v1/chat/completions', '/embeddings', '/v1/embeddings', '/responses', '/v1/responses'],
  ...['/v1/messages', '/admin/v1/applications/{id}/chat'],
]

test('routes: each request that a provider gets is an attempt in an audit record, whichever POST route it came by', async () => {
  const paths = new Set(registeredRoutes(governed.server.app).flatMap((route) => /^POST (\S+)$/.exec(route)?.[1] ?? []))
  expect(paths.size).toBeGreaterThan(50)
  const reaching: string[] = []
  for (const path of paths) {
    const text = word() + word()
    const ids = await sendAll(path.replaceAll(/\{\w+\}|\*/g, String(application.id)), text)
    const calls = governed.provider.callsWith(text).length
    if (calls === 0) continue
    reaching.push(path)
    const records = await Promise.all(ids.map(async (id) => expectSuccess(await governed.admin('GET', `/audit/${id}`))))
    const attempts = records.flatMap((record) => record.attempts as readonly { provider: string; status: number }[])
    expect(attempts, path).toEqual(
      Array.from({ length: calls }, () => expect.objectContaining({ provider: 'openai', status: 200 })),
    )
    for (const { stages } of records) expect(stages).toHaveLength(12)
  }
  expect(reaching.toSorted()).toEqual(REACHING.toSorted())
})
