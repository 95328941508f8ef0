import { describe, expect, test } from 'vitest'
import { encodeAs } from '../../../../../test/support/documents/encode.ts'
import { read } from '../../../../../test/support/documents/read.ts'

const base64 = (text: string | Uint8Array) =>
  Buffer.from(text as string)
    .toString('base64')
    .replace(/.{76}/g, '$&\r\n')
const HEAD =
  'From: Ines Park <ines@example.org>\r\nTo: desk@example.org\r\nSubject: Keys\r\nDate: Tue, 03 Mar 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n'
const SHOWN = '# Keys\n\n- From: Ines Park <ines@example.org>\n- To: desk@example.org\n- Date: Tue, 03 Mar 2026 10:00:00 +0000'
const part = (fields: string, body: string) => `${fields}\r\n\r\n${body}\r\n`
const multipart = (kind: string, ...parts: string[]) =>
  `Content-Type: multipart/${kind}; boundary=${kind}1\r\n\r\n${parts.map((each) => `--${kind}1\r\n${each}`).join('')}--${kind}1--\r\n`
const file = (name: string, body: string, type = 'text/plain') =>
  part(`Content-Type: ${type}\r\nContent-Disposition: attachment; ${name}`, body)

describe('readMail', () => {
  test.each<[name: string, fields: string, body: string, right: string]>([
    ['plain text', 'Content-Type: text/plain; charset=utf-8', 'Hello', 'Hello'],
    [
      'base64',
      'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64',
      base64('Schlüssel an Tor neun'),
      'Schlüssel an Tor neun',
    ],
    [
      'quoted-printable',
      'Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable',
      'Gr=FC=DFe aus K=\r\n=F6ln',
      'Grüße aus Köln',
    ],
    ['ISO-2022-JP', 'Content-Type: text/plain; charset=iso-2022-jp', '\x1b$B<uIU$O6e;~$+$i!#\x1b(B', '受付は九時から。'],
    [
      'Shift-JIS in base64',
      'Content-Type: text/plain; charset=cp932\r\nContent-Transfer-Encoding: base64',
      base64(encodeAs('shift_jis', '受付は九時から')),
      '受付は九時から',
    ],
    [
      'HTML',
      'Content-Type: text/html; charset=utf-8\r\nContent-Transfer-Encoding: base64',
      base64('<h2>Größe</h2><p>10<sup>6</sup></p>'),
      '## Größe\n\n10⁶',
    ],
    [
      'flowed lines',
      'Content-Type: text/plain; charset=utf-8; format=flowed',
      'One long \r\nline.\r\n\r\nNext.',
      'One long line.\n\nNext.',
    ],
  ])('shows the fields and the text of %s', async (_, fields, body, right) => {
    const { markdown, title, warnings } = await read(`${HEAD}${part(fields, body)}`, 'a.eml')
    expect({ markdown, title, warnings }).toEqual({ markdown: `${SHOWN}\n\n${right}`, title: 'Keys', warnings: [] })
  })

  test('decodes fields, with groups and several encoded words', async () => {
    const mail =
      'From: =?utf-8?Q?J=C3=B6rg?= <j@example.org>\r\nTo: Team: a@example.org, B <b@example.org>;\r\nCc: c@example.org\r\nSubject: =?iso-8859-1?Q?Gr=FC=DFe?=\r\n =?koi8-r?B?8NLJ18XU?=\r\n\r\nText'
    expect((await read(mail, 'a.eml')).markdown).toBe(
      '# GrüßeПривет\n\n- From: Jörg <j@example.org>\n- To: Team: a@example.org, B <b@example.org>\n- Cc: c@example.org\n\nText',
    )
  })

  test('shows the HTML of two alternatives, and the text if the HTML has none', async () => {
    const text = part('Content-Type: text/plain', 'Plain')
    const mail = (html: string) => HEAD + multipart('alternative', text, part('Content-Type: text/html', html))
    expect(await read(mail('<p><b>Rich</b></p><p hidden>x</p>'), 'a.eml')).toMatchObject({
      markdown: `${SHOWN}\n\n**Rich**`,
      warnings: ['hidden_text'],
    })
    expect((await read(mail('<img src=x alt="">'), 'a.eml')).markdown).toBe(`${SHOWN}\n\nPlain`)
  })

  test('returns attachments under names of their own, without folders', async () => {
    const mail =
      HEAD +
      multipart(
        'mixed',
        part('Content-Type: text/plain', 'See plan.'),
        file('filename="../x/plan.txt"', 'one'),
        file("filename*=utf-8''plan.txt", 'two'),
        file('filename=""', '%PDF', 'application/pdf'),
      )
    const { markdown, attachments, warnings } = await read(mail, 'a.eml')
    expect(markdown).toBe(
      `${SHOWN}\n- Attachment: plan.txt\n- Attachment: plan (2).txt\n- Attachment: attachment.pdf\n\nSee plan.`,
    )
    expect(attachments.map(({ name, bytes }) => [name, Buffer.from(bytes).toString().trim()])).toEqual([
      ['plan.txt', 'one'],
      ['plan (2).txt', 'two'],
      ['attachment.pdf', '%PDF'],
    ])
    expect(warnings).toEqual([])
  })

  test('shows a message in a message below it, with its attachments', async () => {
    const inner = `From: inner@example.org\r\nSubject: Inner\r\nMIME-Version: 1.0\r\n${multipart('related', part('Content-Type: text/plain', 'Inner text'), file('filename=a.txt', 'x'))}`
    const mail =
      HEAD + multipart('mixed', part('Content-Type: text/plain', 'Outer text'), part('Content-Type: message/rfc822', inner))
    expect((await read(mail, 'a.eml')).markdown).toBe(
      `${SHOWN}\n\nOuter text\n\n## Inner\n\n- From: inner@example.org\n- Attachment: a.txt\n\nInner text`,
    )
  })

  test('detects the charset of a mail that states none', async () => {
    const text = 'Срок хранения документов составляет пять лет со дня подписания договора.'
    const mail = Buffer.concat([Buffer.from('Subject: x\r\nMIME-Version: 1.0\r\n\r\n'), encodeAs('windows-1251', text)])
    expect(await read(mail, 'a.eml')).toMatchObject({ markdown: `# x\n\n${text}`, warnings: ['charset windows-1251'] })
  })

  test('names pictures in the HTML, and no signatures', async () => {
    const image = part('Content-Type: image/png; name=logo.png\r\nContent-ID: <i1>\r\nContent-Transfer-Encoding: base64', 'AAAA')
    const html = part('Content-Type: text/html', '<p>Hi</p><img src="cid:i1" alt="">')
    const mail =
      HEAD + multipart('mixed', multipart('related', html, image), file('filename=smime.p7s', 'x', 'application/pkcs7-signature'))
    expect(await read(mail, 'a.eml')).toMatchObject({
      markdown: `${SHOWN}\n\nHi`,
      warnings: ['picture logo.png'],
      attachments: [],
    })
  })

  test('refuses an encrypted mail', async () => {
    const mail = `${HEAD}${file('filename=smime.p7m', 'x', 'application/pkcs7-mime')}`
    await expect(read(mail, 'a.eml')).rejects.toMatchObject({ code: 'encrypted' })
  })

  test('is chosen by the content, but not for a text that begins like a mail', async () => {
    expect((await read(`Received: from x\r\n by y\r\n${HEAD}\r\nText`, 'a.txt')).mediaType).toBe('message/rfc822')
    expect((await read('From: me\nSubject: notes\n\nText', 'a.txt')).mediaType).toBe('text/plain')
    expect((await read('Text\nMIME-Version: 1.0\n', 'a.md')).mediaType).toBe('text/markdown')
  })
})
