import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess, type GatewayResponse, type Message } from '../support/gateway-client.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await closeAfterAll(sharedGoverned())
await governed.publish([
  { id: 'no-wires', at: ['input', 'output'], when: 'content.text.contains("wire fraud")', verdict: 'deny' },
  { id: 'no-secrets', at: ['input', 'output'], when: 'content.findings.secret > 0', verdict: 'deny' },
  { id: 'no-cards', at: ['input', 'output'], when: 'content.findings["pii.card"] > 0', transforms: ['redact:pii'] },
  { id: 'no-pictures', at: ['input'], when: 'content.unread > 0 && content.text.contains("strictly")', verdict: 'deny' },
  { id: 'no-films', at: ['input'], when: '"file" in content.unread_kinds && content.text.contains("gently")', verdict: 'deny' },
  { id: 'small-files', at: ['input'], when: 'content.unread_bytes > 200 && content.text.contains("briefly")', verdict: 'deny' },
])
const { token } = await governed.application({ settings: { extensions: ['content_parts'], knowledge: { enabled: false } } })
const app = { token }

const CARD = '4111 1111 1111 1111'
const KEY = 'AKIAIOSFODNN7EXAMPLQ'
const base64 = (text: string | Uint8Array): string => Buffer.from(text as string).toString('base64')
const parts = (...content: unknown[]): Message[] => [{ role: 'user', content }]
const textPart = (text: string) => ({ type: 'text', text })
const file = (file_data: string) => ({ type: 'file', file: { filename: 'notes', file_data } })
const image = (url: string) => ({ type: 'image_url', image_url: { url } })
const audio = (data: string) => ({ type: 'input_audio', input_audio: { data, format: 'wav' } })
const sendRequest = (messages: Message[], more = {}) => governed.chat(messages, more, app)
const recordOf = async (response: GatewayResponse) =>
  expectSuccess(await governed.api('GET', `/v1/audit/${expectSuccess(response).governance.audit_id}`, app))
/** 300 bytes that are not text in any charset. */
const PICTURE = base64(Uint8Array.from({ length: 300 }, (_, i) => (i * 131 + 7) % 256))

const padding = `${'All is quiet on the hill. '.repeat(20)}\n`
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(text, 'utf16le')])
const percent = (text: string): string => text.replace(/./gs, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`)

describe('content parts: text in files and URLs is inspected', () => {
  const text = `${padding}about wire fraud`
  test.each([
    ['an image URL without data: scheme', image(`https://x.example/${'a'.repeat(250)}?q=wire fraud`)],
    ['a long path of an image URL that looks like base64', image(`${'a'.repeat(100)}/${KEY}/${'b'.repeat(100)}`)],
    ['text/plain', file(`data:text/plain;base64,${base64(text)}`)],
    ['application/json', file(`data:application/json;base64,${base64(JSON.stringify({ text }))}`)],
    ['application/xml', file(`data:application/xml;base64,${base64(`<a>${text}</a>`)}`)],
    ['text/csv with a charset', file(`data:text/csv;charset=utf-8;base64,${base64(text)}`)],
    ['ISO-8859-1', file(`data:text/csv;base64,${base64(Buffer.from(`caf\u00e9 ${text}`, 'latin1'))}`)],
    ['UTF-16 with a mark', file(`data:text/plain;base64,${base64(utf16(text))}`)],
    ['UTF-16 without a mark', file(`data:text/plain;base64,${base64(Buffer.from(text, 'utf16le'))}`)],
    ['base64 without a data: URL', file(base64(text))],
    ['base64 with line ends', file(base64(text).replace(/(.{76})/g, '$1\n'))],
    ['a percent-encoded data: URL', file(`data:text/plain,${percent(text)}`)],
    ['a percent-encoded base64', file(`data:text/plain;base64,${base64(text).replaceAll('=', '%3D')}`)],
    ['an unlabelled data: URL', file(`data:,${percent(text)}`)],
    ['an upper-case scheme', file(`DATA:text/plain;BASE64,${base64(text)}`)],
    ['a picture that contains text', image(`data:image/png;base64,${base64(text)}`)],
    ['an SVG', image(`data:image/svg+xml;base64,${base64(`<svg><text>${text}</text></svg>`)}`)],
    ['a PDF that contains text', file(`data:application/pdf;base64,${base64(text)}`)],
    ['a sound that contains text', audio(base64(text))],
    ['a data: URL inside a text', textPart(`See data:text/plain;base64,${base64('about wire fraud')} for more`)],
    ['a data: URL inside a file', file(`data:text/html;base64,${base64(`<a href="data:text/plain,${percent('wire fraud')}">`)}`)],
    ['a data: URL in a part of another type', { type: 'document', source: { data: `data:text/plain;base64,${base64(text)}` } }],
    ['base64 in the field of another API', { type: 'document', source: { type: 'base64', data: base64(text) } }],
    ['base64 in a part of another API', { type: 'input_file', file_data: base64(text) }],
    ['base64 with characters that lenient decoders skip', file(base64(text).replace(/(.{10})/g, '$1!'))],
    ['a data: URL with a tab in its scheme', image(`da\tta:text/plain;base64,${base64(text)}`)],
    ['a data: URL after a control character', image(`\u0001data:text/plain;base64,${base64(text)}`)],
    ['a file name', { type: 'file', file: { filename: 'wire fraud.pdf', file_data: PICTURE } }],
  ])('%s: 403', async (_, part) => {
    const calls = governed.provider.calls.length
    expectError(await sendRequest(parts(textPart('Please look'), part)), 'POLICY_DENIED')
    expect(governed.provider.calls.length).toBe(calls)
  })

  test('a key as the signature of a message: 403, whether it is denied or cannot be redacted', async () => {
    const signed = (signature: string): Message[] => [{ role: 'user', content: 'Good morning', signature } as Message]
    expectError(await sendRequest(signed(`ghp_${'aB3dE5gH7jK9'.repeat(3)}`)), 'POLICY_DENIED')
    expectError(await sendRequest(signed(`${CARD.replaceAll(' ', '')}-${'x'.repeat(20)}`)), 'POLICY_DENIED')
    expectSuccess(await sendRequest(signed(base64(Uint8Array.from({ length: 30 }, (_, i) => 255 - i)))))
  })

  test.each([
    ['a text type with binary data', file(`data:text/plain;base64,${PICTURE}`), 'says that it is text'],
    ['a charset that hides letters', file(`data:text/plain;charset=utf-7;base64,${base64(text)}`), 'charset'],
    ['invalid base64', file(`data:text/plain;base64,${base64(text)}!`), 'not base64'],
  ])('%s: 400 that says what to do', async (_, part, message) => {
    const problem = expectError(await sendRequest(parts(textPart('Please look'), part)), 'VALIDATION_ERROR')
    expect(problem.param).toBe('messages[0].content[1].file.file_data')
    expect(problem.message).toContain(message)
  })

  test.each([
    ['base64', (text: string) => `data:text/plain;base64,${base64(text)}`],
    ['percent', (text: string) => `data:text/plain,${percent(text)}`],
    ['UTF-16', (text: string) => `data:text/plain;base64,${base64(utf16(text))}`],
  ])('a redaction is written back in %s', async (_, encode) => {
    const key = word()
    expectSuccess(await sendRequest(parts(textPart(key), file(encode(`Pay with ${CARD} now`)))))
    const [call] = governed.provider.callsWith(key)
    const content = call?.body.messages[0]?.content as unknown as { file: { file_data: string } }[]
    const sent = content[1]?.file.file_data ?? ''
    const bytes = Buffer.from(await (await fetch(sent)).arrayBuffer())
    const text = bytes[0] === 0xff ? bytes.subarray(2).toString('utf16le') : bytes.toString()
    expect(text).toBe('Pay with [CARD] now')
    expect(sent.slice(0, sent.indexOf(','))).toBe(encode('').slice(0, sent.indexOf(',')))
  })

  test('a redaction in a data: URL inside a text is written back', async () => {
    const key = word()
    expectSuccess(await sendRequest(parts(textPart(`${key} data:text/plain;base64,${base64(`Pay with ${CARD}`)} thanks`))))
    const raw = governed.provider.callsWith(key)[0]?.raw ?? ''
    expect(raw).toContain(base64('Pay with [CARD]'))
    expect(raw).not.toContain(base64(`Pay with ${CARD}`).slice(0, 30))
  })
})

describe('content.unread: counts files that no detector reads, for policies and in the audit record', () => {
  const film = (url: string) => ({ type: 'video_url', video_url: { url } })
  test.each([
    ['no file', [], 0, [], 0],
    ['a picture', [image(`data:image/png;base64,${PICTURE}`)], 1, ['image'], 300],
    ['a picture of 60 bytes', [image(`data:image/png;base64,${PICTURE.slice(0, 80)}`)], 1, ['image'], 60],
    ['a picture in a file', [file(`data:image/png;base64,${PICTURE}`)], 1, ['image'], 300],
    ['a sound', [audio(PICTURE)], 1, ['audio'], 300],
    ['a file', [file(`data:application/pdf;base64,${PICTURE}`)], 1, ['file'], 300],
    ['two files', [file(`data:application/pdf;base64,${PICTURE}`), file(PICTURE)], 2, ['file'], 600],
    ['a film', [film(`data:video/mp4;base64,${PICTURE}`)], 1, ['file'], 300],
    ['a link to a picture', [image('https://x.example/a.png')], 0, ['image'], 0],
    ['a link to a film', [film('https://x.example/a.mp4')], 0, ['file'], 0],
    ['the id of a file', [{ type: 'file', file: { file_id: 'file-1' } }], 0, ['file'], 0],
    ['a text file and a link in a text', [file(`data:text/plain;base64,${base64('See https://x.example')}`)], 0, [], 0],
    [
      'everything',
      [file(PICTURE), audio(PICTURE), image(`data:image/png;base64,${PICTURE}`)],
      3,
      ['image', 'audio', 'file'],
      900,
    ],
  ])('number, kinds and size of %s [GW-POL-21]', async (_, files, unread, kinds, bytes) => {
    const { features } = await recordOf(await sendRequest(parts(textPart('Please look at https://x.example'), ...files)))
    const counted = { 'content.unread': unread, 'content.unread_kinds': kinds, 'content.unread_bytes': bytes }
    expect(features).toMatchObject(counted)
    const strict = await sendRequest(parts(textPart('Please look strictly'), ...files))
    if (unread > 0) expectError(strict, 'POLICY_DENIED')
    else expectSuccess(strict)
  })

  test.each([
    ['kind', 'gently'],
    ['size', 'briefly'],
  ])('403 without a provider call when a rule denies the %s [GW-POL-21]', async (_, mark) => {
    const key = word()
    const sent = film(`data:video/mp4;base64,${PICTURE}`)
    expectError(await sendRequest(parts(textPart(`${key} look ${mark}`), sent)), 'POLICY_DENIED')
    expect(governed.provider.callsWith(key)).toHaveLength(0)
    expectSuccess(await sendRequest(parts(textPart(`${key} look ${mark}`))))
  })
})

describe('split text: is inspected joined', () => {
  test.each([
    ['a phrase', parts(textPart('about wi'), textPart('re fraud'))],
    ['a phrase, letter by letter', parts(...[...'wire fraud'].map(textPart))],
    ['a key', parts(textPart(`key: ${KEY.slice(0, 9)}`), textPart(KEY.slice(9)))],
    ['a word in three parts around a picture', parts(textPart('wire f'), image('https://x.example/a.png'), textPart('raud'))],
    ['a phrase in thoughts', parts({ type: 'thinking', thinking: 'about wi' }, { type: 'thinking', thinking: 're fraud' })],
    ['a password and its name', parts(textPart('the database password = "'), textPart('hunter2-Kq8zT4"'))],
  ])('%s over the parts of a message: 403', async (_, messages) => {
    expectError(await sendRequest(messages), 'POLICY_DENIED')
  })

  test('a card number over two parts is redacted in both and counted once', async () => {
    const key = word()
    const response = await sendRequest(parts(textPart(`${key} 4111 1111 `), textPart('1111 1111 please')))
    const raw = governed.provider.callsWith(key)[0]?.raw ?? ''
    expect(raw).not.toMatch(/1111/)
    expect((await recordOf(response)).findings).toMatchObject({ classify: { 'pii.card': 1 } })
  })

  test.each([
    ['a key over two messages', [`my key is ${KEY.slice(0, 9)}`, KEY.slice(9)]],
    ['a key over three messages', [`use ${KEY.slice(0, 5)} `, ` ${KEY.slice(5, 12)}\n`, `${KEY.slice(12)} please`]],
    ['a key, letter by letter', [...KEY]],
  ])('%s of a user: 403', async (_, texts) => {
    expectError(await sendRequest(texts.map((content) => ({ role: 'user', content }))), 'POLICY_DENIED')
  })

  test('a card number over two messages of a user is redacted in both and counted once', async () => {
    const key = word()
    const texts = [`${key} take 4111 1111`, '1111 1111 please', 'Thanks 12', '3 of them']
    const response = await sendRequest(texts.map((content) => ({ role: 'user', content })))
    const sent = governed.provider.callsWith(key)[0]?.body.messages.map(({ content }) => content)
    expect(sent).toEqual([`${key} take [CARD]`, '[CARD] please', 'Thanks 12', '3 of them'])
    expect((await recordOf(response)).findings).toMatchObject({ classify: { 'pii.card': 1 } })
  })

  const chatWithChoices = async (choices: readonly Record<string, unknown>[]) => {
    const key = word()
    const all = choices.map((message, index) => ({ index, message: { role: 'assistant', ...message }, finish_reason: 'stop' }))
    governed.provider.on(key, (response) => json(response, 200, completion('', { choices: all })))
    return sendRequest([{ role: 'user', content: key }], { n: choices.length })
  }
  const pieces = ['about wi', 're fraud'].map((text) => ({ type: 'reasoning.text', text, format: 'x' }))
  test.each([
    ['a phrase over two choices', [{ content: 'about wire f' }, { content: 'raud' }]],
    ['a phrase over pieces of reasoning', [{ content: 'Hello', reasoning_details: pieces }]],
    ['a key over two choices', [{ content: `Use ${KEY.slice(0, 9)}` }, { content: KEY.slice(9) }]],
    ['a key over reasoning_content and content', [{ reasoning_content: `Use ${KEY.slice(0, 9)}`, content: KEY.slice(9) }]],
    ['a key over reasoning and content', [{ reasoning: `Use ${KEY.slice(0, 9)}`, content: KEY.slice(9) }]],
  ])('%s of a completion: 403', async (_, choices) => {
    expectError(await chatWithChoices(choices), 'POLICY_DENIED')
  })
  test('a card number over two choices is redacted in both', async () => {
    const answer = expectSuccess(await chatWithChoices([{ content: 'Card 4111 1111 ' }, { content: '1111 1111' }]))
    expect(JSON.stringify(answer.choices)).not.toContain('1111')
  })
})
