import { request } from 'node:http'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { dumpTables } from '../support/dump-tables.ts'
import { startMessagingServer } from '../support/messenger.ts'
import { startOidcProvider } from '../support/oidc-provider.ts'
import { word } from '../support/scripted-provider.ts'

const EVIL = 'evil.example'
const HOSTILE = {
  host: EVIL,
  'x-forwarded-host': EVIL,
  'x-forwarded-proto': 'https',
  'x-forwarded-port': '666',
  forwarded: `host=${EVIL};proto=https`,
}

interface Answer {
  readonly status: number
  readonly headers: string
  readonly text: string
}

describe('client that sends another host', async () => {
  const provider = await closeAfterAll(startOidcProvider())
  const m = await closeAfterAll(startMessagingServer(provider.environment))

  const send = (method: string, path: string, token?: string, body?: { type: string; text: string }): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...HOSTILE,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': body.type, 'content-length': Buffer.byteLength(body.text) }),
      }
      const sent = request(new URL(path, m.server.base), { method, headers }, (response) => {
        let text = ''
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: JSON.stringify(response.rawHeaders), text }),
        )
      })
      sent.on('error', reject)
      sent.end(body?.text)
    })
  const json = (value: object) => ({ type: 'application/json', text: JSON.stringify(value) })
  const seen: Answer[] = []
  const sendRequest = async (method: string, path: string, token?: string, body?: { type: string; text: string }) => {
    const response = await send(method, path, token, body)
    expect([method, path, response.status, response.text.slice(0, 200)]).toEqual([
      method,
      path,
      expect.toSatisfy((status) => status < 400),
      expect.anything(),
    ])
    seen.push(response)
    return response.text.startsWith('{') ? JSON.parse(response.text) : {}
  }

  test('hostile Host: no response and no stored row contains the host that the client sent', async () => {
    const { ann, ben } = m
    const admin = m.server.demo.admin_token
    const boundary = 'x-x-x'
    const file = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello\r\n--${boundary}--\r\n`
    const upload = { type: `multipart/form-data; boundary=${boundary}`, text: file }

    const attachment = await sendRequest('POST', '/v1/attachments', ann.token, upload)
    expect(attachment.file_url).toBe(`${m.server.base}/v1/attachments/${attachment.id}/content`)
    const group = await sendRequest('POST', '/v1/groups', ann.token, json({ name: word(), contacts: [ben.id] }))
    expect(group.avatar_url).toContain(`${m.server.base}/v1/avatars/`)
    const conversation = await sendRequest('POST', '/v1/conversations', ann.token, json({ contact_id: ben.id }))
    const sent = { conversation_id: conversation.id, message: word(), attachments: [attachment.id] }
    const message = await sendRequest('POST', '/v1/messages', ann.token, json(sent))
    expect(message.attachments[0].file_url).toContain(m.server.base)
    for (const path of [
      '/v1/contacts',
      `/v1/contacts/${ben.id}`,
      '/v1/groups',
      `/v1/groups/${group.id}`,
      '/v1/conversations',
      `/v1/messages?conversation_id=${conversation.id}`,
      `/v1/messages/${message.id}`,
      `/v1/attachments/${attachment.id}`,
    ])
      await sendRequest('GET', path, ann.token)
    await sendRequest('PUT', `/v1/groups/${group.id}`, ann.token, json({ name: word() }))
    await sendRequest('PUT', `/v1/messages/${message.id}`, ann.token, json({ message: word() }))

    await sendRequest('POST', '/admin/v1/users', admin, json({ id: word(), username: word() }))
    const invitation = await sendRequest(
      'POST',
      '/admin/v1/operators',
      admin,
      json({ name: 'Ann', email: `${word()}@x.example`, role: 'auditor' }),
    )
    expect(invitation.url).toContain(`${m.server.base}/dashboard/welcome?token=`)
    await sendRequest('POST', `/admin/v1/operators/${invitation.operator.id}/invitation`, admin, json({}))

    for (const path of ['/', '/docs', '/docs/', '/docs/api/', '/openapi.json', '/dashboard', '/auth/gatehouse/methods'])
      await sendRequest('GET', path)
    seen.push(await send('GET', '/docs/none'))
    const begun = await sendRequest('POST', '/auth/sign-in/social', undefined, json({ provider: 'oidc', disableRedirect: true }))
    expect(new URL(begun.url).searchParams.get('redirect_uri')).toBe(`${m.server.base}/auth/callback/oidc`)
    seen.push(await send('GET', `/auth/callback/oidc?state=${word()}&code=x`))

    for (const { headers, text } of seen) expect(headers + text).not.toContain(EVIL)
    const columns = await dumpTables(m.server.context.database.pool)
    expect(columns.some(({ text }) => text.includes(m.server.base))).toBe(true)
    expect(columns.filter(({ text }) => text.includes(EVIL)).map(({ table, column }) => `${table}.${column}`)).toEqual([])
  })
})
